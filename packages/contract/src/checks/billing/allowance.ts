import { SkipCheck } from "../../outcome.ts";
import type { Key } from "../../check-context.ts";
import type { Session } from "../../session.ts";
import type { HttpResponse } from "../../wire/response.ts";

const window = 60_000;

/** How many calls a minute the key of {@link exhausted} may make. */
export const rateAllowance = 3;

/** Makes a key that may make few calls, at the beginning of a window where time can be moved. */
export async function limitedKey(session: Session, accountId?: string): Promise<Key> {
  const key = await session.freshKey({
    rate_limit_per_min: rateAllowance,
    ...(accountId !== undefined && { account_id: accountId }),
  });
  const { time } = session;
  if (time.virtual) await time.pass(window - (time.now() % window) + 500);
  return key;
}

/** Calls with a key as often as within any two windows it may not, and gives the answers. */
export async function callsOver(session: Session, key: Key): Promise<readonly HttpResponse[]> {
  const answers: HttpResponse[] = [];
  for (let call = 0; call <= 2 * rateAllowance; call += 1) {
    answers.push(await session.account({ key, take429: true }));
  }
  return answers;
}

/** A 429, as the last of many calls with a new key. @throws Skip when there is none: that is a claim of its own. */
export async function rejectedRequest(
  session: Session,
): Promise<{ key: Key; answer: HttpResponse }> {
  const key = await limitedKey(session);
  const answer = (await callsOver(session, key)).at(-1);
  if (answer?.status === 429) return { key, answer };
  throw new SkipCheck("The key has no rate limit, which other checks look at.");
}

/** What `Retry-After` asks for, in milliseconds, from the answer's own time on; undefined when it cannot be read. */
export function requestedDelay({ headers }: HttpResponse): number | undefined {
  const text = headers.get("retry-after") ?? "";
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const pause = Date.parse(text) - Date.parse(headers.get("date") ?? "");
  return Number.isNaN(pause) ? undefined : pause;
}
