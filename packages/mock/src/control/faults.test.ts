import { describe, expect, test } from "vitest";

import { withFaults } from "../../test/with-faults.ts";
import type { FaultInput } from "./fault.ts";
import { Faults } from "./faults.ts";

/** Returns the outcome of 200 requests under a random fault. */
async function randomOutcomes(seed: string): Promise<string> {
  const { mock, account } = withFaults({ seed });
  mock.faults.add({ on: "* *", probability: 0.3, status: 503 });
  let text = "";
  for (let call = 0; call < 200; call += 1) text += (await account()).status === 503 ? "x" : ".";
  return text;
}

describe("faults", () => {
  test("apply `times` times after `after` requests; the first that applies ends the search", async () => {
    const { mock, account } = withFaults();
    const add = (fault: Omit<FaultInput, "on">) =>
      mock.faults.add({ on: "GET /api/v1/account", ...fault });
    add({ after: 1, times: 2, status: 503 });
    add({ times: 1, status: 500 });
    const statuses = [];
    for (let call = 0; call < 5; call += 1) statuses.push((await account()).status);
    expect(statuses).toEqual([500, 503, 503, 200, 200]);
    expect(mock.faults.list()).toMatchObject([
      { id: "fault_1", matched: 3, applied: 2 },
      { id: "fault_2", matched: 1, applied: 1 },
    ]);
  });

  test("are random by seed", async () => {
    const first = await randomOutcomes("one");
    expect(await randomOutcomes("one")).toBe(first);
    expect(await randomOutcomes("two")).not.toBe(first);
    const count = first.replaceAll(".", "").length;
    expect(count).toBeGreaterThan(35);
    expect(count).toBeLessThan(85);
  });

  test("do not change the jobs of a seed", async () => {
    const [faulty, plain] = [withFaults(), withFaults()];
    faulty.mock.faults.add({ on: "* *", probability: 1e-9, status: 503 });
    expect(await (await faulty.submit()).json()).toEqual(await (await plain.submit()).json());
  });

  test.each([
    ["GET /api/v1/tryon/*", [200, 503, 200]],
    ["GET *", [503, 503, 503]],
    ["* /api/v1/tryon", [503, 200, 200]],
    ["GET /api/v1/acc*", [200, 200, 503]],
    ["POST *", [200, 200, 200]],
    ["GET /api.v1/account", [200, 200, 200]],
  ])("apply to the requests of `on`: %s", async (on, expected) => {
    const { mock, submitted, get } = withFaults();
    const job_id = await submitted();
    mock.faults.add({ on, status: 503 });
    const statuses = [];
    for (const path of ["/api/v1/tryon", `/api/v1/tryon/${job_id}`, "/api/v1/account?x=1"]) {
      statuses.push((await get(path)).status);
    }
    expect(statuses).toEqual(expected);
  });

  test("end when they are removed or cleared", async () => {
    const { mock, account } = withFaults();
    const { id } = mock.faults.add({ on: "* *", status: 503 });
    mock.faults.add({ on: "* *", status: 500 });
    expect(mock.faults.remove(id)).toBe(true);
    expect(mock.faults.remove(id)).toBe(false);
    expect((await account()).status).toBe(500);
    mock.faults.clear();
    expect(mock.faults.list()).toEqual([]);
    expect((await account()).status).toBe(200);
  });

  test("do not apply to preflights and to the control API", async () => {
    const { mock, get } = withFaults();
    mock.faults.add({ on: "* *", status: 503 });
    const preflight = await mock.fetch(`${mock.baseUrl}/api/v1/tryon`, {
      method: "OPTIONS",
      headers: { origin: "http://localhost:5173", "access-control-request-method": "POST" },
    });
    expect(preflight.status).toBe(204);
    expect((await get("/__mock/nothing")).status).not.toBe(503);
    expect(mock.journal.entries().map(({ method }) => method)).toEqual(["OPTIONS"]);
  });

  test("continue from a snapshot, and start again after a reset", () => {
    const faults = new Faults("seed");
    faults.add({ on: "GET *", after: 2, times: 3, probability: 0.5, status: 503 });
    faults.add({ on: "GET *", latency: { median: 10, p95: 100 } });
    const matches = (count: number) =>
      Array.from({ length: count }, () => faults.matchRequest("GET", "/"));
    matches(3);
    const state = faults.snapshot();
    const first = matches(20);
    faults.reset();
    expect(faults.list()).toEqual([]);
    expect(matches(1)).toEqual([{ delay: 0, fault: undefined, faultIds: [], misses: [] }]);
    expect(faults.add({ on: "GET *", status: 500 }).id).toBe("fault_1");
    for (let again = 0; again < 2; again += 1) {
      faults.restore(state);
      expect(matches(20)).toEqual(first);
    }
    expect(faults.add({ on: "GET *", status: 500 }).id).toBe("fault_3");
  });
});
