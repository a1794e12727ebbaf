// Measures one of the benchmarks that need only one process.
import { createCalls } from "../candidates/calls.ts";
import { bareFetch, clients, type Caller } from "../candidates/clients.ts";
import { createEvent } from "../candidates/fixtures.ts";
import { renderStockImages } from "../candidates/stock-image.ts";
import { timeInTurns, type Call } from "../candidates/time-in-turns.ts";
import { createTestedVerifier, verifiers } from "../candidates/verifiers.ts";
import type { Sample } from "../benchmark.ts";

const [benchmark = "", ...args] = process.argv.slice(2);

const all = (caller: Caller) => () => Promise.all(Array.from({ length: 50 }, caller));

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
    const bare = bareFetch(url);
    const one = { "bare fetch": bare, [name]: client };
    const many = { "bare fetch": all(bare), [name]: all(client) };
    const single = await timeInTurns(one, { calls: 50, turns: 25, warmUps: 12 });
    const crowded = await timeInTurns(many, { calls: 2, turns: 25, warmUps: 8 });
    const ratio = single.ratios("bare fetch");
    return { time: single.medians(), ratio, crowdedRatio: crowded.ratios("bare fetch") };
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
