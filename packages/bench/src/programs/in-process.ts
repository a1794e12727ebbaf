// Measures one of the benchmarks that need only one process.
import { createCalls } from "../candidates/calls.ts";
import { bareFetch, clients, createBareFetch } from "../candidates/clients.ts";
import { createEvent } from "../candidates/fixtures.ts";
import { renderStockImages } from "../candidates/stock-image.ts";
import { timeInTurns, type Call } from "../candidates/time-in-turns.ts";
import { uploaders } from "../candidates/uploaders.ts";
import { createTestedVerifier, verifiers } from "../candidates/verifiers.ts";
import type { Sample } from "../benchmark.ts";

const [benchmark = "", ...args] = process.argv.slice(2);

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
  small: async (url = "") => {
    const single: Record<string, Call> = { [bareFetch]: createBareFetch(url) };
    for (const [name, create] of Object.entries(clients)) single[name] = await create(url);
    const crowds = Object.entries(single).map(([name, call]): [string, Call] => [
      name,
      () => Promise.all(Array.from({ length: 50 }, call)),
    ]);
    const one = await timeInTurns(single, { calls: 50, turns: 45, warmUps: 12 });
    const many = await timeInTurns(Object.fromEntries(crowds), { calls: 2, turns: 45, warmUps: 8 });
    const [ratio, crowdedRatio] = [one.ratios(bareFetch), many.ratios(bareFetch)];
    return { time: one.medians(), ratio, crowdedRatio };
  },
  upload: async (url = "", ...paths) => {
    const candidates: Record<string, Call> = {};
    for (const [name, create] of Object.entries(uploaders)) {
      candidates[name] = await create(url, paths);
    }
    const times = await timeInTurns(candidates, { calls: 1, turns: 5, warmUps: 1 });
    const ratios = Object.keys(uploaders)
      .filter((name) => !name.startsWith("naive"))
      .map((name) => {
        return [
          name,
          times.ratio(name, name.endsWith("memory") ? "naive, memory" : "naive, files"),
        ];
      });
    return { time: times.medians(), ratio: Object.fromEntries(ratios) };
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
