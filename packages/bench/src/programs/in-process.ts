// Measures one of the benchmarks that need only one process.
import { createCalls } from "../candidates/calls.ts";
import { bareFetch, clients, createBareFetch } from "../candidates/clients.ts";
import { createEvent } from "../candidates/fixtures.ts";
import { renderStockImages } from "../candidates/stock-image.ts";
import { timeInTurns, type Call } from "../candidates/time-in-turns.ts";
import { uploaders } from "../candidates/uploaders.ts";
import { createTestedVerifier, verifiers } from "../candidates/verifiers.ts";
import type { Sample } from "../statistics.ts";

const [benchmark = "", ...args] = process.argv.slice(2);

const fifty = (call: Call) => Promise.all(Array.from({ length: 50 }, call));

const programs: Readonly<Record<string, (...args: readonly string[]) => Promise<Sample>>> = {
  image: async () => ({ time: await renderStockImages() }),
  calls: async () => {
    const times = await timeInTurns(await createCalls(), { calls: 400, turns: 12, warmUps: 6 });
    return { time: times.medians() };
  },
  submissions: async () => {
    const name = "@tryon/mock: POST /api/v1/tryon";
    const { [name]: submit } = await createCalls("manual");
    const times = await timeInTurns({ [name]: submit }, { calls: 2_000, turns: 10, warmUps: 10 });
    return { rate: { [name]: 1e6 / (times.medians()[name] ?? Number.NaN) } };
  },
  small: async (name = "", url = "") => {
    const client = await clients[name]?.(url);
    if (client === undefined) throw new RangeError(`There is no client ${name}.`);
    const bare = createBareFetch(url);
    const one = { [bareFetch]: bare, [name]: client };
    const many = { [bareFetch]: () => fifty(bare), [name]: () => fifty(client) };
    const single = await timeInTurns(one, { calls: 50, turns: 25, warmUps: 12 });
    const crowd = await timeInTurns(many, { calls: 2, turns: 25, warmUps: 8 });
    const [ratio, crowdedRatio] = [single.ratios(bareFetch), crowd.ratios(bareFetch)];
    return { time: single.medians(), ratio, crowdedRatio };
  },
  upload: async (url = "", ...paths) => {
    const candidates: Record<string, Call> = {};
    for (const [name, create] of Object.entries(uploaders)) {
      candidates[name] = await create(url, paths);
    }
    const times = await timeInTurns(candidates, { calls: 1, turns: 9, warmUps: 1 });
    const ratios = Object.keys(uploaders)
      .filter((name) => !name.startsWith("naive"))
      .map((name) => {
        return [
          name,
          times.ratio(name, name.endsWith("memory") ? "naive, memory" : "naive, files"),
        ];
      });
    const milliseconds = Object.entries(times.medians()).map(([name, time]) => [
      name,
      time / 1_000,
    ]);
    return { time: Object.fromEntries(milliseconds), ratio: Object.fromEntries(ratios) };
  },
  webhooks: async (size = "", baseline = "", bytes = "", calls = "") => {
    const body = createEvent(Number(bytes));
    const candidates: Record<string, Call> = {};
    for (const name of Object.keys(verifiers)) {
      const verifier = await createTestedVerifier(name, body);
      candidates[name] = () => verifier(body);
    }
    const times = await timeInTurns(candidates, { calls: Number(calls), turns: 25, warmUps: 12 });
    return { [`${size}Time`]: times.medians(), [`${size}Ratio`]: times.ratios(baseline) };
  },
};
process.stdout.write(JSON.stringify(await programs[benchmark]?.(...args)));
// Kept connections would keep this process running.
process.exit();
