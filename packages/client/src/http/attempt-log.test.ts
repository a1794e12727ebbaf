import { describe, expect, it } from "vitest";

import { isTryOnError } from "../index.ts";
import { received } from "../../test/received.ts";
import { respondWith, createService, cut, input, type Fault } from "../../test/service.ts";
import { AttemptLog } from "./attempt-log.ts";
import { rowOf, type Outcome } from "./outcome-table.ts";

const no = { detail: "no" };
const limited = respondWith(429, no, { "retry-after": "1" });

/** Outcome of a submission that is sent once and fails like this. */
async function submissionEnd(...faults: readonly Fault[]): Promise<string> {
  const { error, client, faults: pending } = createService();
  pending.push(...faults);
  const failed = await error(client({ retries: faults.length - 1 }).submit(input));
  if (!isTryOnError(failed)) throw failed;
  return failed.code;
}

it.each([
  ["validation_failed", [cut.refused, limited, respondWith(422, no)]],
  ["unavailable", [cut.refused, respondWith(503, no)]],
  ["outcome_unknown", [respondWith(503, no), respondWith(402, no)]],
])("ends in %s after several attempts", async (code, faults) => {
  expect(await submissionEnd(...faults)).toBe(code);
});

type End = number | "connection_failed" | "unsent" | "rate_limited";

const outcomeOf = (end: End): Outcome =>
  typeof end === "string" ? { failure: end } : received(end, no);

interface Row {
  readonly ends: readonly End[];
  readonly since?: number;
  readonly madeJob?: boolean;
  readonly explained?: boolean;
}

describe("the log of a submission", () => {
  it("notes an attempt whose synchronous response was cut off", () => {
    const log = new AttemptLog();
    const outcome = outcomeOf(504);
    for (const isCut of [true, false]) log.add(outcome, 1, 2, { row: rowOf(outcome), isCut });
    const attempt = { startedAt: 1, duration: 2, status: 504 };
    expect(log.attempts).toEqual([{ ...attempt, isCut: true }, attempt]);
  });

  it.each<Row>([
    { ends: [] },
    { ends: [400] },
    { ends: [404], since: 0, madeJob: true, explained: false },
    { ends: [429, "unsent"] },
    { ends: [409], since: 0 },
    { ends: [409, 400], since: 0, explained: false },
    { ends: [429, 500], since: 1, madeJob: true },
    { ends: [409, 500, 500], since: 0, madeJob: true },
    { ends: [500, 409], since: 0, madeJob: true, explained: false },
    { ends: [500, 400], since: 0, madeJob: true, explained: false },
    { ends: [402, 200, 408], since: 1, madeJob: true, explained: false },
    { ends: ["connection_failed"], since: 0, madeJob: true, explained: false },
  ])("shows what $ends may have done", (row) => {
    const { ends, since, madeJob = false, explained = true } = row;
    const log = new AttemptLog();
    const outcomes = ends.map(outcomeOf);
    for (const [index, outcome] of outcomes.entries()) {
      log.open += 1;
      expect(log.mayHaveMadeJob).toBe(true);
      log.add(outcome, index, 7);
    }
    expect(log).toMatchObject({
      mayHaveMadeJob: madeJob,
      attempts: ends.map((end, startedAt) => ({
        startedAt,
        duration: 7,
        ...(typeof end === "string" ? { failure: end } : { status: end }),
      })),
    });
    expect(log.firstUncertain).toBe(log.attempts[since ?? -1]);
    expect(log.isExplainedBy(outcomes.at(-1) ?? outcomeOf("rate_limited"))).toBe(explained);
    expect(log.isExplainedBy(outcomeOf("rate_limited"))).toBe(since === undefined);
  });

  it("lets the key be forgotten after the window, from the first uncertain attempt on", () => {
    const log = new AttemptLog();
    let age = 1_000;
    log.add(outcomeOf(400), 100, 7, undefined, () => age);
    expect([log.age, log.isPast(50)]).toEqual([undefined, false]);
    log.add(outcomeOf(500), 200, 7, undefined, () => age);
    log.add(outcomeOf(500), 300, 7, undefined, () => 1_000);
    age = 50;
    expect([log.age, log.isPast(50)]).toEqual([50, false]);
    age = 51;
    expect(log.isPast(50)).toBe(true);
  });
});
