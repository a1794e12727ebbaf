import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { useMock } from "@tryon/mock/vitest";
import { describe, expect, it, onTestFinished } from "vitest";

import {
  chargesOf,
  createFolder,
  input,
  limit,
  openMcp,
  startMcp,
  submissionsOf,
} from "../../test/mcp-session.ts";
import { openSession } from "./open-session.ts";

const mock = useMock({ clock: "manual", options: { refusedKey: "kept", sparseSubmit: true } });

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
    expect(await chargesOf(mock)).toEqual([8, 8]);
  });

  it.each([
    ["0", "running", 0, 0, 8],
    ["a part of the price", "queued", 5, 0, 8],
    ["more than the price", "running", 11, 11, 0],
    ["-8", "running", -8, 0, 8],
    ["a fraction at the end", "succeeded", 0.5, 8, 0],
    ["-8 at the end", "failed", -8, 8, 0],
    ["0 at the end", "failed", 0, 0, 0],
  ])("counts the price until a job has ended, and then its cost: %s", async (...row) => {
    const [, status, cost_credits, spent, reserved] = row;
    const { call } = await openMcp(limit(100));
    const { value } = await call("submit", { ...input, prompt: "mock:slow=600000" });
    const path = `GET /api/v1/tryon/${String(value["job_id"])}`;
    const body = { job_id: value["job_id"], status, cost_credits, result_url: "https://x.example" };
    mock.faults.add({ on: path, status: 200, body });
    await call("get", { job_id: value["job_id"] });
    expect((await call("account")).value["budget"]).toMatchObject({ spent, reserved });
  });

  it("is not exceeded while the service states no cost of running jobs", async () => {
    const { call } = await openMcp(limit(20));
    const body = { status: "running", cost_credits: 0 };
    for (let variation = 0; variation < 10; variation += 1) {
      const { value } = await call("submit", { ...input, variation });
      const { job_id } = value;
      if (typeof job_id !== "string") continue;
      const path = `GET /api/v1/tryon/${job_id}`;
      mock.faults.add({ on: path, status: 200, body: { job_id, ...body } });
      await call("get", { job_id });
    }
    expect(await chargesOf(mock)).toEqual([8, 8]);
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
    const { call, stop } = await openMcp([...limit(100), "--state", state]);
    await call("submit", input);
    expect(readFileSync(state, "utf8")).not.toContain(mock.keys.live);
    expect(statSync(state).mode % 0o1000).toBe(0o600);
    await stop();
    const text = readFileSync(state, "utf8");
    expect(JSON.parse(text)).toMatchObject({ spent: 0, reserved: 8 });
    expect(text).not.toContain(mock.keys.live);
  });

  it("gets its mode with each write, and no link leads to another file", async () => {
    const folder = createFolder();
    const [state, other] = [join(folder, "state.json"), join(folder, "other")];
    writeFileSync(other, "mine");
    symlinkSync(other, `${state}.tmp`);
    const { call, stop } = await openMcp([...limit(100), "--state", state]);
    await call("submit", input);
    chmodSync(state, 0o666);
    await call("submit", { ...input, variation: 2 });
    expect(statSync(state).mode % 0o1000).toBe(0o600);
    expect(readFileSync(other, "utf8")).toBe("mine");
    await stop();
    expect(readdirSync(folder).toSorted()).toEqual(["other", "state.json", "state.json.tmp"]);
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

  it("is not used with the lock of another container, which may run", async () => {
    const state = join(createFolder(), "state.json");
    const first = await openMcp([...limit(100), "--state", state]);
    const lock = Object(JSON.parse(readFileSync(`${state}.lock`, "utf8")));
    expect(await first.stop()).toBe(0);
    writeFileSync(`${state}.lock`, JSON.stringify({ ...lock, namespace: "another" }));
    const { ended, output } = startMcp([...limit(100), "--state", state]);
    expect(await ended).toBe(2);
    expect(output.stderr).toMatch(
      `tryon: the file of --state ${state} was locked by process ${process.pid}, possibly in another container`,
    );
    expect(output.stderr).toMatch(`Delete ${state}.lock once you are sure`);
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

  it("has a line for each change, and loses none if a write is cut off at any byte", async () => {
    const state = join(createFolder(), "state.json");
    const limits = { maxCredits: 100, maxUsd: 50 };
    const session = await openSession(state, "owner", limits);
    onTestFinished(() => session.close());
    await session.reserve("one", 8, 1);
    const { ino } = statSync(state);
    await session.reserve("two", 12, 2);
    await session.release("two", false);
    await session.reservePurchase("pack", "digest", 2);
    const before = readFileSync(state);
    await session.reserve("three", 20, 3);
    const after = readFileSync(state);
    expect(statSync(state).ino).toBe(ino);
    expect(after.subarray(0, before.length)).toEqual(before);
    for (let length = before.length; length <= after.length; length += 1) {
      const cut = join(createFolder(), "state.json");
      writeFileSync(cut, after.subarray(0, length));
      const opened = await openSession(cut, "owner", limits);
      const reserved = length < after.length ? 8 : 28;
      expect(opened.budget()).toMatchObject({ reserved, usd: { reserved: 2 } });
      // The beginning of a line is not left before the next one.
      await opened.reserve("four", 4, 4);
      await opened.reserve("five", 4, 5);
      await opened.close();
      expect(JSON.parse(readFileSync(cut, "utf8"))).toMatchObject({ reserved: reserved + 8 });
    }
  });

  it("is written whole if another program has changed or removed it", async () => {
    const state = join(createFolder(), "state.json");
    const session = await openSession(state, "owner", { maxCredits: 100, maxUsd: 0 });
    onTestFinished(() => session.close());
    const changes = [() => undefined, () => rmSync(state), () => appendFileSync(state, "x")];
    for (const [index, change] of changes.entries()) {
      change();
      await session.reserve(`key-${index}`, 8, index);
      const [whole = "", ...lines] = readFileSync(state, "utf8").split("\n");
      expect([Object.keys(JSON.parse(whole).submissions).length, lines]).toEqual([index + 1, [""]]);
    }
  });

  it("is written before anything is sent", async () => {
    const folder = createFolder();
    const { call } = await openMcp([...limit(100), "--state", join(folder, "state.json")]);
    mkdirSync(join(folder, "state.json"));
    expect((await call("submit", input)).error).toMatch(/^state_not_saved: .+Nothing was sent/);
    expect(submissionsOf(mock)).toBe(0);
    expect((await call("account")).value["budget"]).toMatchObject({ reserved: 0 });
  });
});
