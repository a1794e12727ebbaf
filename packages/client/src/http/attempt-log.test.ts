import { describe, expect, it } from "vitest";

import { AttemptLog, type Outcome } from "./attempt-log.ts";

type End = number | "connection_failed" | "unsent" | "rate_limited";

/** Creates the outcome of a response of the service with this status, or of an attempt without a response. */
function outcomeOf(end: End): Outcome {
  if (typeof end === "string") return { response: undefined, failure: end };
  const response = new Response(null, { status: end });
  const { status, headers } = response;
  return { response: { status, headers, response, text: "", content: { detail: "no" } } };
}

interface Row {
  readonly ends: readonly End[];
  readonly since?: number;
  readonly madeJob?: boolean;
  readonly explained?: boolean;
}

describe("the log of a submission", () => {
  it.each<Row>([
    { ends: [] },
    { ends: [400] },
    { ends: [404] },
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

  it("shows that a refused connection has done nothing", () => {
    const log = new AttemptLog();
    const cause = { code: "ECONNREFUSED" };
    log.add({ response: undefined, failure: "connection_failed", cause }, 1, 7);
    expect(log.firstUncertain).toBeUndefined();
  });

  it("lets the key be forgotten after the window, from the first uncertain attempt on", () => {
    const log = new AttemptLog();
    log.add(outcomeOf(400), 100, 7);
    expect(log.isPast(50, 1_000)).toBe(false);
    log.add(outcomeOf(500), 200, 7);
    log.add(outcomeOf(500), 300, 7);
    expect([250, 251].map((now) => log.isPast(50, now))).toEqual([false, true]);
  });
});
