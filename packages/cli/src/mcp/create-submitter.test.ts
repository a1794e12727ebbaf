import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { TryOn } from "@tryon/client";
import { useMock } from "@tryon/mock/vitest";
import { describe, expect, it } from "vitest";

import {
  chargesOf,
  createFolder,
  input,
  limit,
  openMcp,
  submissionsOf,
  submitPath,
} from "../../test/mcp-session.ts";

const mock = useMock({ clock: "manual", options: { refusedKey: "kept", sparseSubmit: true } });
const charges = () => chargesOf(mock);
const submissions = () => submissionsOf(mock);

/** Makes a job whose response is lost, and ends the server while it waits to retry. */
async function loseResponse(argv: readonly string[], more: object = {}): Promise<void> {
  const { id } = mock.faults.add({ on: submitPath, reset: "after" });
  const mcp = await openMcp(argv);
  const call = mcp.call("submit", { ...input, ...more }).catch(() => undefined);
  await mock.journal.waitFor(submitPath);
  expect(await mcp.stop()).toBe(0);
  await mcp.client.close();
  await call;
  mock.faults.remove(id);
}

describe("a repeated submission", () => {
  it("returns the same job, and is charged once", async () => {
    const { call } = await openMcp(limit(100));
    const results = await Promise.all([call("submit", input), call("submit", input)]);
    await mock.clock.advance("1s");
    const { value: later } = await call("submit", { ...input, output_size: "1K", prompt: "" });
    const ids = [...results.map(({ value }) => value["job_id"]), later["job_id"]];
    expect(new Set(ids).size).toBe(1);
    expect(later["status"]).toBe("succeeded");
    expect(await charges()).toEqual([8]);
  });

  it("makes a second job with a variation, which is not sent", async () => {
    const { call } = await openMcp(limit(100));
    const bodies: string[] = [];
    const ids = new Set<unknown>();
    for (const variation of [undefined, 2, "2", "other"]) {
      const { value } = await call("submit", { ...input, variation });
      ids.add(value["job_id"]);
    }
    for (const entry of mock.journal.entries()) bodies.push(JSON.stringify(entry));
    expect(ids.size).toBe(3);
    expect(bodies.join("")).not.toContain("variation");
    expect(await charges()).toEqual([8, 8, 8]);
  });

  it("is one charge after a call that the client canceled", async () => {
    const { call } = await openMcp(limit(100));
    mock.faults.add({ on: submitPath, times: 1, latency: "20s" });
    const controller = new AbortController();
    const first = call("submit", input, controller.signal).catch(() => "canceled");
    await mock.journal.waitFor(submitPath, { until: "arrived" });
    controller.abort();
    expect(await first).toBe("canceled");
    const second = call("submit", input);
    await mock.clock.advance("20s");
    expect((await second).value["job_id"]).toMatch(/^job_/);
    expect(submissions()).toBe(1);
    expect(await charges()).toEqual([8]);
  });

  it("is one charge after a call that ended without a job", async () => {
    const { call } = await openMcp(limit(100));
    mock.faults.add({ on: submitPath, times: 1, latency: "28s" });
    const first = call("submit", input);
    await mock.journal.waitFor(submitPath, { until: "arrived" });
    await mock.clock.advance("25s");
    const budget = { reserved: 8, spent: 0, left: 92, max_credits: 100 };
    expect((await first).value).toMatchObject({ status: "submitting", budget });
    const second = call("submit", input);
    await mock.clock.advance("3s");
    expect((await second).value["job_id"]).toMatch(/^job_/);
    expect(await charges()).toEqual([8]);
  });

  it("is one charge after a restart while the response was lost", async () => {
    const argv = [...limit(100), "--state", join(createFolder(), "state.json")];
    await loseResponse(argv);
    expect(await charges()).toEqual([8]);
    const { call } = await openMcp(argv);
    expect((await call("account")).value["budget"]).toMatchObject({ spent: 0, reserved: 8 });
    const { value } = await call("submit", input);
    expect(value).toMatchObject({ budget: { spent: 0, reserved: 8 } });
    expect(await charges()).toEqual([8]);
  });

  it("stays reserved if a later attempt is refused", async () => {
    const argv = [...limit(100), "--state", join(createFolder(), "state.json")];
    await loseResponse(argv);
    const { call } = await openMcp(argv);
    mock.faults.add({ on: submitPath, times: 1, status: 402 });
    expect((await call("submit", input)).error).toMatch(/^insufficient_credits: /);
    expect((await call("account")).value["budget"]).toMatchObject({ reserved: 8 });
    expect((await call("submit", input)).value["job_id"]).toMatch(/^job_/);
    expect(await charges()).toEqual([8]);
  });

  it("stays reserved if an attempt is refused after one whose response was lost", async () => {
    const { call } = await openMcp(limit(100));
    mock.faults.add({ on: submitPath, times: 1, reset: "after" });
    mock.faults.add({ on: submitPath, times: 1, status: 402 });
    const { error } = await mock.clock.runUntil(call("submit", input));
    expect(error).toMatch(/^outcome_unknown: /);
    expect((await call("account")).value["budget"]).toMatchObject({ reserved: 8 });
    expect(await charges()).toEqual([8]);
  });

  it("is not sent if the clock was set back by more than the idempotency window", async () => {
    const state = join(createFolder(), "state.json");
    const argv = [...limit(100), "--state", state];
    await loseResponse(argv);
    const sentAt = mock.clock.now() + 28 * 60_000;
    const text = readFileSync(state, "utf8").replace(/"sentAt":\d+/, `"sentAt":${sentAt}`);
    writeFileSync(state, text);
    const { call } = await openMcp(argv);
    const before = submissions();
    expect((await call("submit", input)).error).toMatch(/^outcome_unknown: .+not sent again/);
    expect(submissions()).toBe(before);
  });

  it("is not sent after the idempotency window", async () => {
    const argv = [...limit(100), "--state", join(createFolder(), "state.json")];
    await loseResponse(argv);
    await mock.clock.advance("28m");
    const { call } = await openMcp(argv);
    const before = submissions();
    for (let count = 0; count < 2; count += 1) {
      expect((await call("submit", input)).error).toMatch(/^outcome_unknown: .+not sent again/);
    }
    expect(submissions()).toBe(before);
    expect((await call("account")).value["budget"]).toMatchObject({ reserved: 8 });
    expect(await charges()).toEqual([8]);
  });

  it("is accepted after a refusal that the service repeats", async () => {
    const environment = { TRYON_API_KEY: mock.keys.empty };
    const { call } = await openMcp(limit(100), environment);
    const refused = await call("submit", input);
    expect(refused.error).toMatch(
      /^insufficient_credits: .+Nothing was charged\. The user can buy/,
    );
    expect((await call("account")).value["budget"]).toMatchObject({ reserved: 0, spent: 0 });
    const pack = { pack_slug: "demo", shared_payment_granted_token: "spt_1" } as const;
    await new TryOn({ apiKey: mock.keys.empty, baseUrl: mock.url }).credits.purchase(pack);
    expect((await call("submit", input)).value["job_id"]).toMatch(/^job_/);
  });
});
