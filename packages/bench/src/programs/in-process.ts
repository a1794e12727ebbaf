// Measures one of the benchmarks that need only one process.
import { stockEngine } from "@tryon/mock";

import { createSubmit } from "../candidates/calls.ts";
import { bareFetch, clients } from "../candidates/clients.ts";
import { createEvent } from "../candidates/fixtures.ts";
import { timeInTurns, type Call } from "../candidates/time-in-turns.ts";
import { uploaders } from "../candidates/uploaders.ts";
import { createVerifications } from "../candidates/verifiers.ts";
import { mediansOf, ratioOf, ratiosTo, type Sample } from "../statistics.ts";

const [benchmark = "", ...args] = process.argv.slice(2);

const fiftyOf = (call: Call) => () => Promise.all(Array.from({ length: 50 }, call));

/** Times an image of the stock engine, in milliseconds. */
async function timeImage(engine: ReturnType<typeof stockEngine>, seed: number): Promise<number> {
  const url = "https://shop.example/me.jpg";
  const image = { field: "person_url", source: "address", url } as const;
  const input = { person: image, garments: [image], instruction: "", fingerprint: "00000001" };
  const start = performance.now();
  await engine.render({ width: 768, height: 1_024, ...input, seed });
  return performance.now() - start;
}

const programs: Readonly<Record<string, (...args: readonly string[]) => Promise<Sample>>> = {
  image: async () => {
    const engine = stockEngine();
    const time: Record<string, number> = {};
    time["first image"] = await timeImage(engine, 0);
    time["same image again"] = await timeImage(engine, 0);
    for (let seed = 1; seed <= 20; seed += 1) await timeImage(engine, seed);
    time["new image after 20"] = await timeImage(engine, 21);
    return { time };
  },
  submissions: async () => {
    const name = "@tryon/mock: POST /api/v1/tryon";
    const submit = await createSubmit();
    const times = await timeInTurns({ [name]: submit }, { calls: 2_000, turns: 10, warmUps: 10 });
    return { rate: { [name]: 1e6 / (mediansOf(times)[name] ?? Number.NaN) } };
  },
  small: async (name = "", url = "") => {
    const [bare, client] = [await clients[bareFetch]?.(url), await clients[name]?.(url)];
    if (bare === undefined || client === undefined) throw new RangeError(`No client ${name}.`);
    const one = { [bareFetch]: bare, [name]: client };
    const many = { [bareFetch]: fiftyOf(bare), [name]: fiftyOf(client) };
    const single = await timeInTurns(one, { calls: 50, turns: 9, warmUps: 12 });
    const crowd = await timeInTurns(many, { calls: 2, turns: 9, warmUps: 8 });
    const ratio = ratiosTo(bareFetch, single);
    return { time: mediansOf(single), ratio, crowdedRatio: ratiosTo(bareFetch, crowd) };
  },
  upload: async (url = "", ...paths) => {
    const candidates: Record<string, Call> = {};
    for (const [name, create] of Object.entries(uploaders)) {
      candidates[name] = await create(url, paths);
    }
    const times = await timeInTurns(candidates, { calls: 1, turns: 4, warmUps: 1 });
    const ratios = Object.keys(uploaders)
      .filter((name) => !name.startsWith("naive"))
      .map((name) => {
        const naive = name.endsWith("memory") ? "naive, memory" : "naive, files";
        return [name, ratioOf(times, name, naive)];
      });
    return { time: mediansOf(times, 1 / 1_000), ratio: Object.fromEntries(ratios) };
  },
  webhooks: async (size = "", baseline = "", bytes = "", calls = "") => {
    const verifications = await createVerifications(createEvent(Number(bytes)));
    const blocks = { calls: Number(calls), turns: 9, warmUps: 12 };
    const times = await timeInTurns(verifications, blocks);
    return { [`${size}Time`]: mediansOf(times), [`${size}Ratio`]: ratiosTo(baseline, times) };
  },
};
process.stdout.write(JSON.stringify(await programs[benchmark]?.(...args)));
// Kept connections would keep this process running.
process.exit();
