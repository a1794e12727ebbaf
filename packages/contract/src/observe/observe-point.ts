import type { Probe } from "../check.ts";
import { Judgment, valuesOf, type OptionValue } from "../open-points.ts";
import { SkipCheck } from "../outcome.ts";
import { recordExchange } from "../record/exchange-recorder.ts";
import { Masker } from "../record/mask.ts";
import type { Session } from "../session.ts";
import { Memory } from "../seen/memory.ts";
import { seenOf } from "../seen/seen.ts";

/**
 * Provokes the behavior at an open point, and judges the exchanges as if they had been recorded.
 *
 * @throws SkipCheck with the reason why they do not show the value.
 */
export async function observePoint(probe: Probe, session: Session): Promise<OptionValue> {
  const { option, provoke, judge, decisive } = probe;
  const judgment = new Judgment(option, decisive);
  let skipped: SkipCheck | undefined;
  try {
    const value = await provoke(session);
    const shown = valuesOf(option).filter((one) => one === value);
    if (shown.length > 0) judgment.add(shown, "");
  } catch (error) {
    // The exchanges before it may show the value.
    if (!(error instanceof SkipCheck)) throw error;
    skipped = error;
  }
  const memory = new Memory();
  const masker = new Masker({ keepText: true });
  const { origin } = new URL(session.context.baseUrl);
  for (const timed of session.http.exchanges) {
    // The URL of a result is not below the base URL.
    if (judge === undefined || !timed.request.path.startsWith("/")) continue;
    const seen = seenOf(recordExchange(masker, origin, timed), "");
    if (seen === undefined) continue;
    judgment.add(judge(seen, memory), "");
    memory.add(seen);
  }
  const { value, reason = "This run could not tell." } = judgment;
  if (value === undefined) throw skipped ?? new SkipCheck(reason);
  return value;
}
