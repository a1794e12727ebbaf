import { isDeepStrictEqual } from "node:util";

import type { VerifyOptions, VerifyOutcome } from "../../src/verification/verify.ts";
import type { Verdict } from "./oracle.ts";
import { trialOf } from "./trial.ts";
import type { BodyForm, Trial } from "./trial.ts";

export interface FuzzOptions {
  /** Makes all trials what they are; printed where one fails. */
  readonly seed: number;
  /** How many trials. */
  readonly count: number;
  readonly verify: (options: VerifyOptions) => VerifyOutcome | Promise<VerifyOutcome>;
  /**
   * Another verifier, which has to come to the same in the same words, except where there are no
   * bytes: how to get them is for each to say.
   */
  readonly alike?: (options: VerifyOptions) => VerifyOutcome;
  /** How bodies are handed over that are still to be read; in memory unless given. */
  readonly unread?: BodyForm;
}

/** What came of the trials: how many of each code, and what was wrong. */
export interface FuzzReport {
  readonly codes: Readonly<Record<string, number>>;
  readonly failures: readonly string[];
}

/** So many are under way at once where a verifier has to be waited for, which is most of its time. */
const atOnce = 64;

/** Lets a verifier judge deliveries of all kinds, and tells where it was wrong or threw. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { seed, count, verify, alike, unread } = options;
  const codes: Record<string, number> = {};
  const failures: string[] = [];
  const check = (number: number, { expected, changed }: Trial, got: unknown): void => {
    const where = `trial ${number} of seed ${seed} (changed: ${changed}) had to be`;
    if (!fits(expected, got)) {
      failures.push(`${where} ${JSON.stringify(expected)}, and was ${JSON.stringify(got)}`);
    }
    if (alike === undefined) return;
    // Made once more, since some of it can be gone through only once.
    const again = trialOf(seed, number, unread);
    const other = outcomeOf(() => alike(again.options));
    const same = expected.code === "raw_body_required" || isDeepStrictEqual(got, other);
    if (same && fits(expected, other)) return;
    failures.push(`${where} alike, and was ${JSON.stringify(got)} and ${JSON.stringify(other)}`);
  };
  let underWay: Array<Promise<void>> = [];
  for (let number = 0; number < count && failures.length < 10; number += 1) {
    const trial = trialOf(seed, number, unread);
    const { code } = trial.expected;
    codes[code] = (codes[code] ?? 0) + 1;
    const outcome = outcomeOf(() => verify(trial.options));
    if (outcome instanceof Promise) {
      const caught = outcome.catch((error: unknown) => `threw ${String(error)}`);
      underWay.push(caught.then((got: unknown) => check(number, trial, got)));
    } else {
      check(number, trial, outcome);
    }
    if (underWay.length < atOnce) continue;
    await Promise.all(underWay);
    underWay = [];
  }
  await Promise.all(underWay);
  return { codes, failures };
}

function outcomeOf(verify: () => unknown): unknown {
  try {
    return verify();
  } catch (error) {
    return `threw ${String(error)}`;
  }
}

function fits(expected: Verdict, got: unknown): boolean {
  if (expected.code === "ok") {
    const { event, secretIndex } = expected;
    return isDeepStrictEqual(got, { ok: true, event, secretIndex });
  }
  // Nobody but the verifier says what the message is, only that there is one.
  const outcome = got as {
    readonly ok?: unknown;
    readonly code?: unknown;
    readonly message?: unknown;
  };
  return (
    outcome.ok === false &&
    outcome.code === expected.code &&
    typeof outcome.message === "string" &&
    outcome.message !== ""
  );
}
