// Measures one of the benchmarks that need only one process.
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createProxy } from "@tryon/client/proxy";
import { createMock, stockEngine, type Mock } from "@tryon/mock";
import { createSqliteStore } from "@tryon/mock/node";

import { bareFetch, clients, uploaders } from "../candidates/clients.ts";
import { benchKey, costlyBodies, createEvent, jsonHeaders } from "../candidates/fixtures.ts";
import { checkedCalls, ownVerifiers, peerVerifiers } from "../candidates/verifiers.ts";
import { mediansOf, ratioOf, ratiosTo, timeInTurns } from "../statistics.ts";
import type { Call, Sample } from "../statistics.ts";

const imageUrl = "https://shop.example/image.jpg";
const fiftyConcurrent = (call: Call) => () => Promise.all(Array.from({ length: 50 }, call));

/** Live memory of this process in MB. */
function liveMemory(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}

const programs: Readonly<Record<string, (...args: readonly string[]) => Promise<Sample>>> = {
  image: async () => {
    const engine = stockEngine();
    const person = { field: "person_url", source: "url", url: imageUrl } as const;
    const input = { person, garments: [person], instruction: "", fingerprint: "00000001" };
    const time = async (seed: number): Promise<number> => {
      const start = performance.now();
      await engine.render({ width: 768, height: 1_024, ...input, seed });
      return performance.now() - start;
    };
    const times = { "first image": await time(0), "same image again": await time(0) };
    for (let seed = 1; seed <= 20; seed += 1) await time(seed);
    return { time: { ...times, "new image after 20": await time(21) } };
  },
  submissions: async () => {
    const mock = createMock({ seed: "bench", clock: "manual" });
    await mock.createKey(benchKey);
    const body = JSON.stringify({ person_url: imageUrl, garment_urls: [imageUrl], wait: false });
    const init = { method: "POST", headers: jsonHeaders, body };
    const submit = async (): Promise<void> => {
      const response = await mock.fetch(`${mock.baseUrl}/api/v1/tryon`, init);
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`Got ${response.status} instead of 200.`);
    };
    const url = `${mock.baseUrl}/api/v1/tryon`;
    const text = await (await mock.fetch(url, init)).text();
    const [name, bare] = ["@tryon/mock: POST /api/v1/tryon", "bare Request and Response"];
    const exchange = async (): Promise<void> => {
      await new Request(url, init).text();
      await new Response(text, { headers: { "content-type": "application/json" } }).arrayBuffer();
    };
    const blocks = { calls: 2_000, turns: 10, warmUps: 10 };
    const times = await timeInTurns({ [name]: submit, [bare]: exchange }, blocks);
    const rate = { [name]: 1e6 / (mediansOf(times)[name] ?? Number.NaN) };
    return { rate, ratio: { [name]: ratioOf(times, bare, name) } };
  },
  jobs: async (count = "") => {
    const folder = await mkdtemp(join(tmpdir(), "tryon-bench-"));
    const file = join(folder, "state.db");
    const start = (): Mock => createMock({ clock: "manual", store: createSqliteStore(file) });
    const mock = start();
    await mock.createKey(benchKey);
    const before = liveMemory();
    const body = JSON.stringify({ person_url: imageUrl, garment_urls: [imageUrl], wait: false });
    const init = { method: "POST", headers: jsonHeaders, body };
    const submit = async (): Promise<void> => {
      const response = await mock.fetch(`${mock.baseUrl}/api/v1/tryon`, init);
      if (response.status !== 200) throw new Error(`Got ${response.status} instead of 200.`);
    };
    // Requests at once share a write of the file.
    for (let sent = 0; sent < Number(count); sent += 100) {
      await Promise.all(Array.from({ length: 100 }, submit));
      await mock.clock.advance("2s");
    }
    const memory = liveMemory() - before;
    mock.close();
    const from = performance.now();
    start().close();
    const time = performance.now() - from;
    await rm(folder, { recursive: true });
    return { memory: { [`${count} jobs`]: memory }, start: { [`${count} jobs`]: time } };
  },
  small: async (name = "", url = "") => {
    const [bare, client] = [await clients[bareFetch]?.(url, []), await clients[name]?.(url, [])];
    if (bare === undefined || client === undefined) throw new RangeError(`No client ${name}.`);
    const one = { [bareFetch]: bare, [name]: client };
    const many = { [bareFetch]: fiftyConcurrent(bare), [name]: fiftyConcurrent(client) };
    const single = await timeInTurns(one, { calls: 50, turns: 9, warmUps: 12 });
    const concurrent = await timeInTurns(many, { calls: 2, turns: 9, warmUps: 8 });
    const ratio = ratiosTo(bareFetch, single);
    return { time: mediansOf(single), ratio, concurrentRatio: ratiosTo(bareFetch, concurrent) };
  },
  upload: async (url = "", ...files) => {
    const candidates: Record<string, Call> = {};
    for (const [name, create] of Object.entries(uploaders))
      candidates[name] = await create(url, files);
    const times = await timeInTurns(candidates, { calls: 1, turns: 4, warmUps: 1 });
    const ratio: Record<string, number> = {};
    for (const name of Object.keys(uploaders).filter((it) => !it.startsWith("naive")))
      ratio[name] = ratioOf(times, name, `naive, ${name.includes("memory") ? "memory" : "files"}`);
    return { time: mediansOf(times, 1 / 1_000), ratio };
  },
  rejected: async (server = "") => {
    const mock = createMock({ seed: "bench", clock: "manual" });
    await mock.createKey(benchKey);
    const proxy = createProxy({
      apiKey: benchKey.token,
      baseUrl: mock.baseUrl,
      basePath: "/",
      authorize: () => ({ id: "a" }),
      fetch: async (_url, init) => {
        await new Response(init?.body).arrayBuffer();
        return Response.json({ job_id: "job_1", status: "running" });
      },
    });
    const send = server === "proxy" ? proxy : mock.fetch;
    const calls: Record<string, Call> = {};
    for (const [name, body] of Object.entries(costlyBodies(14_000_000)))
      calls[name] = async () => {
        const headers = { ...jsonHeaders, "idempotency-key": randomUUID() };
        const init = { method: "POST", headers, body };
        const { status } = await send(new Request(`${mock.baseUrl}/api/v1/tryon`, init));
        if ((status === 200) !== (name === "photo")) throw new Error(`${name} got ${status}.`);
      };
    const times = await timeInTurns(calls, { calls: 1, turns: 5, warmUps: 2 });
    return { [`${server}Ratio`]: ratiosTo("photo", times) };
  },
  webhooks: async (size = "", baseline = "", bytes = "", calls = "") => {
    const event = createEvent(Number(bytes));
    const verifiers = { ...ownVerifiers(event), ...(await peerVerifiers(event)) };
    const blocks = { calls: Number(calls), turns: 9, warmUps: 12 };
    const times = await timeInTurns(await checkedCalls(verifiers, event), blocks);
    return { [`${size}Time`]: mediansOf(times), [`${size}Ratio`]: ratiosTo(baseline, times) };
  },
};

const [benchmark = "", ...args] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await programs[benchmark]?.(...args)));
// Kept connections would keep this process running.
process.exit();
