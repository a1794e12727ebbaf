import { describe, expect, test } from "vitest";

import { withFaults } from "../../test/with-faults.ts";
import type { FaultInput } from "./fault.ts";

/** Which of 200 calls a fault strikes by chance under a seed. */
async function pattern(seed: string): Promise<string> {
  const { mock, account } = withFaults({ seed });
  mock.faults.add({ on: "* *", probability: 0.3, status: 503 });
  let text = "";
  for (let call = 0; call < 200; call += 1) text += (await account()).status === 503 ? "x" : ".";
  return text;
}

async function jobOf(withFault: boolean): Promise<unknown> {
  const { mock, submit } = withFaults();
  if (withFault) mock.faults.add({ on: "* *", probability: 1e-9, status: 503 });
  return (await submit()).json();
}

describe("when a fault strikes", () => {
  test("is said by times and after; faults of the same call take their turns", async () => {
    const { mock, account } = withFaults();
    const add = (fault: Omit<FaultInput, "on">) =>
      mock.faults.add({ on: "GET /api/v1/account", ...fault });
    add({ after: 1, times: 2, status: 503 });
    add({ times: 1, status: 500 });
    const statuses = [];
    for (let call = 0; call < 5; call += 1) statuses.push((await account()).status);
    expect(statuses).toEqual([500, 503, 503, 200, 200]);
    expect(mock.faults.list()).toMatchObject([
      { id: "fault_1", met: 3, struck: 2 },
      { id: "fault_2", met: 1, struck: 1 },
    ]);
  });

  test("follows from the seed where it is left to chance", async () => {
    const first = await pattern("one");
    expect(await pattern("one")).toBe(first);
    expect(await pattern("two")).not.toBe(first);
    const struck = first.replaceAll(".", "").length;
    expect(struck).toBeGreaterThan(35);
    expect(struck).toBeLessThan(85);
  });

  test("changes nothing about the jobs of that seed", async () => {
    expect(await jobOf(true)).toEqual(await jobOf(false));
  });

  test.each([
    ["GET /api/v1/tryon/*", [200, 503, 200]],
    ["GET *", [503, 503, 503]],
    ["* /api/v1/tryon", [503, 200, 200]],
    ["GET /api/v1/acc*", [200, 200, 503]],
    ["POST *", [200, 200, 200]],
    ["GET /api.v1/account", [200, 200, 200]],
  ])("is said by on: %s", async (meant, expected) => {
    const { mock, submit, get } = withFaults();
    // The contract's answer to a submission has a job_id.
    const { job_id } = (await (await submit()).json()) as { job_id: string };
    mock.faults.add({ on: meant, status: 503 });
    const statuses = [];
    for (const path of ["/api/v1/tryon", `/api/v1/tryon/${job_id}`, "/api/v1/account?x=1"]) {
      statuses.push((await get(path)).status);
    }
    expect(statuses).toEqual(expected);
  });

  test("ends when it is removed or all are cleared", async () => {
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

  test("is never at a preflight nor where the server is steered", async () => {
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
});
