import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { useMock } from "@tryon/mock/vitest";
import { describe, expect, it } from "vitest";

import {
  callTool,
  chargesOf,
  createFolder,
  input,
  limit,
  openMcp,
  startMcp,
  submissionsOf,
} from "../../test/mcp-session.ts";

const mock = useMock({ clock: "manual", options: { refusedKey: "kept", sparseSubmit: true } });
const charges = () => chargesOf(mock);
const submissions = () => submissionsOf(mock);

describe("the tools of tryon mcp", () => {
  it("have a title, hints and a schema of their results, which both lines of clients check", async () => {
    const { client, call } = await openMcp([...limit(100), "--max-usd", "2"]);
    const current = await startMcp(limit(100)).connectCurrent();
    const { tools } = await client.listTools();
    const hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: true };
    const readOnly = { readOnlyHint: true, destructiveHint: false };
    expect(Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]))).toEqual({
      account: { ...readOnly, openWorldHint: true },
      buy_credits: { ...hints, destructiveHint: true, openWorldHint: true },
      estimate: { ...readOnly, openWorldHint: true },
      get: { ...readOnly, openWorldHint: true },
      submit: { ...hints, openWorldHint: true },
      wait: { ...readOnly, openWorldHint: true },
    });
    for (const { title, outputSchema } of tools) {
      expect(title).toMatch(/^[A-Z]/);
      expect(outputSchema).toMatchObject({ type: "object", required: expect.any(Array) });
    }
    await current.listTools();
    for (const one of [client, current]) {
      const { value, structured } = await callTool(one, "submit", input);
      expect(structured).toEqual(value);
      await mock.clock.advance("1s");
      const ended = await callTool(one, "wait", { job_id: value["job_id"] });
      expect(ended.structured).toMatchObject({ status: "succeeded", job_id: value["job_id"] });
      const { structured: account } = await callTool(one, "account");
      expect(account).toMatchObject({ rate_limit_per_min: expect.any(Number) });
    }
    expect((await call("estimate")).structured).toMatchObject({ credits: 8 });
    // Each client has its session.
    expect(await charges()).toEqual([8, 8]);
  });

  it("return a job although the service sends fields of other types", async () => {
    const mcp = startMcp(limit(100));
    const client = await mcp.connectCurrent();
    await client.listTools();
    const { value: job } = await callTool(client, "submit", input);
    const body = { ...job, status: "running", cost_credits: "8", error_code: 5, result_url: 1 };
    mock.faults.add({ on: `GET /api/v1/tryon/${String(job["job_id"])}`, status: 200, body });
    const { structured } = await callTool(client, "get", { job_id: job["job_id"] });
    expect(structured).toMatchObject({ job_id: job["job_id"], cost_credits: null });
  });

  it("report the progress of a job to a client that asks for it", async () => {
    const { client, call } = await openMcp(limit(100));
    const { value: job } = await call("submit", { ...input, prompt: "mock:slow=10000" });
    const updates: Array<{ progress: number; message?: string | undefined }> = [];
    const wait = { name: "wait", arguments: { job_id: job["job_id"] } };
    const onprogress = (update: (typeof updates)[number]) => void updates.push(update);
    await mock.clock.runUntil(client.callTool(wait, undefined, { onprogress }));
    expect(updates.length).toBeGreaterThan(2);
    expect(updates.map(({ progress }) => progress)).toEqual(updates.map((_, index) => index + 1));
    expect(updates[0]?.message).toBe(`${String(job["job_id"])}: running`);
  });

  it("stop to ask for a job when the client cancels the call", async () => {
    const { call } = await openMcp(limit(100));
    const { value: job } = await call("submit", { ...input, prompt: "mock:slow=600000" });
    const polls = () => mock.journal.entries().filter(({ method }) => method === "GET").length;
    const before = polls();
    const controller = new AbortController();
    const wait = call("wait", { job_id: job["job_id"] }, controller.signal).catch(() => "canceled");
    await expect.poll(polls).toBe(before + 1);
    controller.abort();
    expect(await wait).toBe("canceled");
    await call("account");
    const after = polls();
    await mock.clock.advance("20s");
    expect(polls()).toBe(after);
  });

  it("wait for no job that the service and the session do not know", async () => {
    const { call } = await openMcp(limit(100));
    const start = mock.clock.now();
    expect((await call("wait", { job_id: "job_unknown" })).error).toMatch(/^not_found: /);
    const { value: job } = await call("submit", input);
    mock.faults.add({ on: `GET /api/v1/tryon/${String(job["job_id"])}`, times: 1, status: 404 });
    expect(mock.clock.now()).toBe(start);
    const ended = await mock.clock.runUntil(call("wait", { job_id: job["job_id"] }));
    expect(ended.value["status"]).toBe("succeeded");
  });

  it("estimate what submit takes, and check it, and return the account and the budget", async () => {
    const { call } = await openMcp(limit(100));
    const full = { ...input, output_size: "2K", prompt: "blue", seed: 1, variation: 2 };
    const budget = { max_credits: 100, spent: 0, reserved: 0, left: 100 };
    const price = { credits: 12, source: "account", budget };
    for (const fields of [full, { output_size: "2K" }]) {
      expect((await call("estimate", fields)).value).toMatchObject(price);
    }
    expect((await call("account")).value).toMatchObject({ credits_remaining: 1_000, budget });
    const { error } = await call("estimate", { ...input, garments: ["shirt.png"] });
    expect(error).toMatch(/^invalid_input: .+--allow-dir/);
    expect(submissions()).toBe(0);
  });

  it("submit a try-on, wait for it, and save its image with a small preview", async () => {
    const out = join(createFolder(), "new");
    const mcp = await openMcp([...limit(100), "--out", out]);
    const { value: job } = await mcp.call("submit", { ...input, output_size: "2K" });
    const reserved = { spent: 0, reserved: 12, left: 88 };
    expect(job).toMatchObject({ job_id: expect.stringMatching(/^job_\w+$/), budget: reserved });
    const budget = { spent: 12, reserved: 0, left: 88 };
    await mock.clock.advance("1s");
    for (const tool of ["wait", "get"]) {
      const { value, images } = await mcp.call(tool, { job_id: job["job_id"] });
      const path = join(out, `${String(job["job_id"])}.png`);
      expect(value).toMatchObject({ status: "succeeded", cost_credits: 12, path, budget });
      expect(readFileSync(path).subarray(1, 4).toString()).toBe("PNG");
      expect(images).toEqual([{ type: "image", mimeType: "image/jpeg", data: expect.any(String) }]);
      expect(images[0]?.data.length).toBeLessThan(27_000);
    }
    expect(readdirSync(out)).toHaveLength(1);
    expect(await charges()).toEqual([12]);
  });

  it("return a URL of the image without a folder", async () => {
    const { call } = await openMcp(limit(100));
    const { value: job } = await call("submit", input);
    await mock.clock.advance("1s");
    const { value, images } = await call("wait", { job_id: job["job_id"] });
    expect(value["result_url"]).toMatch(/^http/);
    expect(images).toEqual([]);
  });

  it("return the id of a job that has not ended within 25 seconds", async () => {
    const { call } = await openMcp(limit(100));
    const { value: job } = await call("submit", { ...input, prompt: "mock:slow=600000" });
    const start = mock.clock.now();
    const { value } = await mock.clock.runUntil(call("wait", { job_id: job["job_id"] }));
    expect(mock.clock.now() - start).toBe(25_000);
    expect(value).toMatchObject({ job_id: job["job_id"], next: expect.stringContaining("again") });
    expect(value["status"]).toMatch(/queued|running/);
    const { value: current } = await call("get", { job_id: job["job_id"] });
    expect(current["status"]).toMatch(/queued|running/);
  });

  it("report a failed job with its reason and id, and keep its charge", async () => {
    const { call } = await openMcp(limit(100));
    const { value: job } = await call("submit", { ...input, prompt: "mock:content_blocked" });
    await mock.clock.advance("1s");
    const { value } = await call("get", { job_id: job["job_id"] });
    expect(value).toMatchObject({ status: "failed", error_message: "content_blocked" });
    expect(value["budget"]).toMatchObject({ spent: 8, reserved: 0 });
    const { error } = await call("wait", { job_id: job["job_id"] });
    expect(error).toMatch(
      new RegExp(`^job_failed: Job ${String(job["job_id"])} failed: content_blocked`),
    );
  });

  it("report errors with code and hint, and never the key", async () => {
    const { call, output } = await openMcp(limit(100));
    const unknown = await call("get", { job_id: "job_unknown" });
    expect(unknown.error).toMatch(/^not_found: .+Check the id/);
    expect((await call("wait", { job_id: "../x" })).error).toMatch(/^invalid_input: /);
    mock.faults.add({ on: "* *", status: 401 });
    expect((await call("account")).error).toMatch(/^unauthorized: .+Check TRYON_API_KEY/);
    expect(output.stdout + output.stderr).not.toContain(mock.keys.live);
  });

  it("reject a field that they do not have, before anything is sent", async () => {
    const { call } = await openMcp(limit(100));
    expect((await call("submit", { ...input, size: "4K" })).error).toContain("size");
    expect((await call("submit", { ...input, max_credits: 900 })).error).toContain("max_credits");
    expect((await call("submit", { ...input, garments: [] })).error).toContain("garments");
    expect((await call("estimate", { size: "4K" })).error).toContain("size");
    expect(submissions()).toBe(0);
  });
});

it("ends with exit code 0 on Ctrl+C, and prints only messages of the protocol", async () => {
  const { call, ended, interrupt, output } = await openMcp(limit(100));
  await call("submit", input);
  interrupt();
  expect(await ended).toBe(0);
  for (const line of output.stdout.trim().split("\n")) {
    expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  }
  expect(output.stderr).toBe("");
});

it("ends if a message is too long to be one", async () => {
  const { ended, send } = startMcp(limit(100));
  send("x".repeat(11_000_000));
  expect(await ended).toBe(0);
});
