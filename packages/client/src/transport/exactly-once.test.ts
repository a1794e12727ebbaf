import { array, assert, asyncProperty, boolean, constantFrom } from "fast-check";
import { expect, it } from "vitest";

import { isTryOnError, type Job } from "../index.ts";
import {
  answering,
  answeringAfter,
  createWorld,
  cut,
  input,
  profiles,
  type Fault,
} from "../testing/world.ts";

const faults: Readonly<Record<string, Fault>> = {
  "cut before": cut.before,
  "cut after": cut.after,
  refused: cut.refused,
  "never answered": () => new Promise(() => undefined),
  "done, never answered": async (_request, pass) => {
    await pass();
    return new Promise(() => undefined);
  },
  "408": answering(408, "<h1>Request timeout</h1>"),
  "409": answering(409, { detail: "still being worked on" }),
  "429": answering(429, { detail: "slow down" }, { "retry-after": "2" }),
  "500": answering(500, { detail: "broken" }),
  "503": answering(503, { detail: "busy" }, { "retry-after": "1" }),
  "done, 504": answeringAfter(504, "<h1>Gateway timeout</h1>"),
  "done, cut off": answeringAfter(200, '{"job_id":"job_1","sta'),
  "402": answering(402, { detail: "no credits" }),
};

/** What one call did: how many keys, bodies and jobs there are, what was charged, and which job the caller can have. */
async function outcomeOf(
  profile: (typeof profiles)[number],
  names: readonly string[],
  hold: boolean,
) {
  const world = createWorld({ profile, latency: "3s" });
  const { run, tryon, mock, submissions } = world;
  world.faults.push(...names.map((name) => faults[name]));
  const work = run(tryon.run(input, { hold, timeout: "20m" }));
  const ended = await work.then(
    ({ job }) => ({ job, error: undefined }),
    (error: unknown) => ({ job: undefined, error }),
  );
  world.faults.length = 0;
  // The list may lag behind.
  await mock.clock.advance("1s");
  const before = await run(tryon.jobs.list().toArray());
  const job = ended.job ?? (await run(jobOf(ended.error)));
  await mock.clock.advance("1s");
  const after = await run(tryon.jobs.list().toArray());
  return {
    keys: new Set(submissions().map(({ headers }) => headers.get("idempotency-key"))).size,
    bodies: new Set(submissions().map(({ body }) => body)).size,
    /** Whether the error, if there is one, is of this package. */
    typed: ended.error === undefined || isTryOnError(ended.error),
    /** The jobs when the call had ended, and when its error had been followed. */
    before: before.map(({ id }) => id),
    after: after.map(({ id }) => id),
    charged: 1_000 - ((await mock.ledger(mock.keys.live))?.balance ?? 0),
    had: job?.id,
  };
}

/** The job that an error leads to. */
async function jobOf(error: unknown): Promise<Job | undefined> {
  if (isTryOnError(error, "outcome_unknown")) return error.recover();
  if (isTryOnError(error, "server_error") || isTryOnError(error, "unavailable")) {
    return error.recover?.();
  }
  return isTryOnError(error) ? error.job : undefined;
}

it.each(profiles)(
  "makes one key, one body, at most one job and one charge whatever fails, under the profile %s",
  async (profile) => {
    const sequence = array(constantFrom(...Object.keys(faults)), { minLength: 1, maxLength: 6 });
    await assert(
      asyncProperty(sequence, boolean(), async (names, hold) => {
        const { keys, bodies, typed, before, after, charged, had } = await outcomeOf(
          profile,
          names,
          hold,
        );
        expect({ keys, bodies, typed }).toEqual({ keys: 1, bodies: 1, typed: true });
        expect(after.slice(0, before.length)).toEqual(before);
        expect(after.length).toBeLessThanOrEqual(1);
        expect(charged).toBe(after.length * 8);
        expect(had).toBe(after[0]);
      }),
      { numRuns: 60 },
    );
  },
);
