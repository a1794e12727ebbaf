import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { TryOn } from "@tryon/client";
import { useMock } from "@tryon/mock/vitest";
import { assetPath } from "@tryon/test-kit/repository";
import { describe, expect, it } from "vitest";

import { createFolder, openMcp, startMcp } from "../../test/mcp-session.ts";

const mock = useMock({ clock: "manual", options: { refusedKey: "kept", sparseSubmit: true } });
const person = "https://shop.example/me.jpg";
const input = { person, garments: ["https://shop.example/shirt.png"] };
const submitPath = "POST /api/v1/tryon";
const limit = (credits: number): string[] => ["--max-credits", String(credits)];

/** Returns the credits of each charge of the live key. */
async function charges(): Promise<number[]> {
  const { entries = [] } = (await mock.ledger(mock.keys.live)) ?? {};
  return entries.flatMap(({ credits }) => (credits < 0 ? -credits : []));
}

const submissions = () =>
  mock.journal.entries().filter(({ method, path }) => `${method} ${path}` === submitPath).length;

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

describe("the tools of tryon mcp", () => {
  it("are listed, and none of them buys credits", async () => {
    const { client } = await openMcp(limit(100));
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name).toSorted();
    expect(names).toEqual(["account", "estimate", "get", "submit", "wait"]);
  });

  it("return the price, the account and the budget", async () => {
    const { call } = await openMcp(limit(100));
    const budget = { max_credits: 100, spent: 0, reserved: 0, left: 100 };
    const { value: price } = await call("estimate", { output_size: "2K" });
    expect(price).toMatchObject({ credits: 12, source: "account", budget });
    const { value: account } = await call("account");
    expect(account).toMatchObject({ credits_remaining: 1_000, budget });
    expect(await charges()).toEqual([]);
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
    expect(submissions()).toBe(0);
  });
});

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
    expect(refused.error).toMatch(/^insufficient_credits: .+Nothing was charged/);
    expect((await call("account")).value["budget"]).toMatchObject({ reserved: 0, spent: 0 });
    const pack = { pack_slug: "demo", shared_payment_granted_token: "spt_1" } as const;
    await new TryOn({ apiKey: mock.keys.empty, baseUrl: mock.url }).credits.purchase(pack);
    expect((await call("submit", input)).value["job_id"]).toMatch(/^job_/);
  });
});

describe("the budget", () => {
  it("is not exceeded by parallel calls, nor after a restart", async () => {
    const state = join(createFolder(), "state.json");
    const first = await openMcp([...limit(20), "--state", state]);
    const calls = [1, 2, 3, 4].map((variation) => first.call("submit", { ...input, variation }));
    const errors = (await Promise.all(calls)).flatMap(({ error }) => error ?? []);
    expect(errors).toHaveLength(2);
    for (const error of errors) expect(error).toMatch(/^budget_exceeded: .+Nothing was sent/);
    expect(await first.stop()).toBe(0);
    const second = await openMcp([...limit(20), "--state", state]);
    expect((await second.call("submit", { ...input, variation: 5 })).error).toMatch(/^budget_exc/);
    expect(await charges()).toEqual([8, 8]);
  });

  it("is required for a live key, and not for a test key", async () => {
    const { ended, output } = startMcp();
    expect(await ended).toBe(2);
    expect(output).toEqual({ stdout: "", stderr: expect.stringContaining("--max-credits is") });
    const mcp = await openMcp([], { TRYON_API_KEY: mock.keys.test });
    const { value } = await mcp.call("submit", input);
    expect(value).toMatchObject({ budget: { max_credits: null, spent: 0, reserved: 0 } });
  });
});

describe("the file of --state", () => {
  it("has no key, and only its owner can read it", async () => {
    const state = join(createFolder(), "state.json");
    const { call } = await openMcp([...limit(100), "--state", state]);
    await call("submit", input);
    const text = readFileSync(state, "utf8");
    expect(JSON.parse(text)).toMatchObject({ spent: 0, reserved: 8 });
    expect(text).not.toContain(mock.keys.live);
    expect(statSync(state).mode % 0o1000).toBe(0o600);
  });

  it("is used by one server at a time, by any path", async () => {
    const folder = createFolder();
    const state = join(folder, "state.json");
    const first = await openMcp([...limit(100), "--state", state]);
    await first.call("submit", input);
    symlinkSync(state, join(folder, "link.json"));
    for (const path of [state, join(folder, "link.json")]) {
      const { ended, output } = startMcp([...limit(100), "--state", path]);
      expect(await ended).toBe(2);
      expect(output.stderr).toMatch(/the file of --state .+ already open in this process/);
    }
    await first.stop();
    expect(readdirSync(folder).toSorted()).toEqual(["link.json", "state.json"]);
  });

  it("belongs to one key, and is not replaced if it is damaged", async () => {
    const state = join(createFolder(), "state.json");
    const first = await openMcp([...limit(100), "--state", state]);
    await first.call("submit", input);
    await first.stop();
    const other = startMcp(["--state", state], { TRYON_API_KEY: mock.keys.test });
    expect(await other.ended).toBe(2);
    writeFileSync(state, "{}");
    expect(await startMcp([...limit(100), "--state", state]).ended).toBe(2);
    expect(readFileSync(state, "utf8")).toBe("{}");
  });

  it("is written before anything is sent", async () => {
    const folder = createFolder();
    const { call } = await openMcp([...limit(100), "--state", join(folder, "state.json")]);
    mkdirSync(join(folder, "state.json.tmp"));
    expect((await call("submit", input)).error).toMatch(/^state_not_saved: .+Nothing was sent/);
    expect(submissions()).toBe(0);
    expect((await call("account")).value["budget"]).toMatchObject({ reserved: 0 });
  });
});

describe("images by path", () => {
  it("are sent from allowed folders, and are one charge by any path", async () => {
    const folder = createFolder();
    copyFileSync(assetPath("shirt.png"), join(folder, "shirt.png"));
    copyFileSync(assetPath("shirt.png"), join(folder, "copy.png"));
    const { call } = await openMcp([...limit(100), "--allow-dir", folder]);
    const ids = new Set<unknown>();
    for (const garment of ["shirt.png", join(folder, "shirt.png"), "./copy.png"]) {
      const { value } = await call("submit", { person, garments: [garment] });
      ids.add(value["job_id"]);
    }
    expect([...ids]).toEqual([expect.stringMatching(/^job_/)]);
    expect(await charges()).toEqual([8]);
  });

  it("are rejected outside allowed folders, also by .. and links", async () => {
    const root = createFolder();
    const folder = join(root, "allowed");
    for (const name of ["allowed", "allowed-too", "secret"]) mkdirSync(join(root, name));
    for (const name of ["allowed-too", "secret"]) {
      copyFileSync(assetPath("shirt.png"), join(root, name, "shirt.png"));
    }
    symlinkSync(join(root, "secret/shirt.png"), join(folder, "link.png"));
    symlinkSync(join(root, "secret"), join(folder, "folder"));
    writeFileSync(join(folder, "notes.png"), new Uint8Array(1_000).fill(1));
    const { call } = await openMcp([...limit(100), "--allow-dir", folder]);
    const paths = `../secret/shirt.png ${root}/secret/shirt.png link.png folder/shirt.png
      ${root}/allowed-too/shirt.png missing.png . notes.png http://shop.example/shirt.png
      file://${root}/secret/shirt.png data:image/png;base64,iVBO`.split(/\s+/);
    for (const path of paths) {
      const { error } = await call("submit", { person, garments: [path] });
      expect(error, path).toMatch(/^invalid_input: /);
    }
    expect(submissions()).toBe(0);
  });

  it("need --allow-dir with a folder that exists", async () => {
    const { call } = await openMcp(limit(100));
    const { error } = await call("submit", { person, garments: [assetPath("shirt.png")] });
    expect(error).toMatch(/^invalid_input: .+--allow-dir/);
    const missing = startMcp([...limit(100), "--allow-dir", join(createFolder(), "none")]);
    expect(await missing.ended).toBe(2);
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
