import { expect, test } from "vitest";

import { Faults } from "./faults.ts";
import { Journal } from "./journal.ts";

const clock = { now: () => 5 };
const call = (path: string): Request => new Request(`https://a.example${path}`);

test("faults go on from a snapshot as they would have gone on without it", () => {
  const faults = new Faults("seed");
  faults.add({ on: "GET *", after: 2, times: 3, probability: 0.5, status: 503 });
  faults.add({ on: "GET *", latency: { median: 10, p95: 100 } });
  const strikes = (count: number) =>
    Array.from({ length: count }, () => faults.matchRequest("GET", "/"));
  strikes(3);
  const state = faults.snapshot();
  const first = strikes(20);
  faults.reset();
  expect(faults.list()).toEqual([]);
  expect(strikes(1)).toEqual([{ delay: 0, fault: undefined, faultIds: [] }]);
  // A snapshot is plain data: it survives being written down, and being used twice.
  faults.restore(JSON.parse(JSON.stringify(state)));
  expect(strikes(20)).toEqual(first);
  faults.restore(state);
  expect(strikes(20)).toEqual(first);
  expect(faults.add({ on: "GET *", status: 500 }).id).toBe("fault_3");
});

test("faults count anew after a reset", () => {
  const faults = new Faults("seed");
  faults.add({ on: "GET *", status: 500 });
  faults.reset();
  expect(faults.add({ on: "GET *", status: 500 }).id).toBe("fault_1");
});

test("a journal comes back from a snapshot with what it had and had dropped", async () => {
  const journal = new Journal(clock, 2);
  for (const path of ["/1", "/2", "/3"]) journal.begin(call(path));
  const state = journal.snapshot();
  expect(state).toMatchObject({ dropped: 1, entries: [{ path: "/2" }, { path: "/3" }] });
  journal.reset();
  expect([journal.entries(), journal.dropped]).toEqual([[], 0]);
  const waiting = journal.waitFor("GET /3", { until: "arrived" });
  journal.restore(JSON.parse(JSON.stringify(state)));
  expect(await waiting).toMatchObject([{ path: "/3" }]);
  expect(journal.snapshot()).toEqual(state);
  journal.begin(call("/4"));
  expect(journal.dropped).toBe(2);
  expect(state.entries).toHaveLength(2);
});

test("a call that was under way at a reset does not come back with its end", () => {
  const journal = new Journal(clock, 2);
  const request = call("/1");
  journal.begin(request);
  const state = journal.snapshot();
  journal.reset();
  journal.end(request, 200);
  expect(journal.entries()).toEqual([]);
  journal.restore(state);
  journal.end(request, 200);
  expect(journal.entries()).toMatchObject([{ path: "/1", status: null }]);
});
