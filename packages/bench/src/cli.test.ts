import { expect, test, vi } from "vitest";

import type { Benchmark } from "./benchmark.ts";
import { runCli, type Context } from "./cli.ts";
import type { Environment } from "./environment.ts";
import { mediansOf, ratiosTo, takeTurns, type Sample } from "./statistics.ts";

function benchmark(name: string, samples: readonly Sample[], own: Partial<Benchmark> = {}) {
  const texts = { title: `Title of ${name}`, method: `Method of ${name}.` };
  const ratio = { title: "Ratio", unit: "×", chart: true };
  const groups = { ratio, time: { title: "Time", unit: "ms" } };
  const measure = async function* (): AsyncIterable<Sample> {
    yield* samples;
  };
  return { name, ...texts, groups, measure, ...own };
}

/** Creates a benchmark with one row of ratios, and times that vary more. */
function ratiosOf(name: string, ratios: readonly number[], own?: Partial<Benchmark>) {
  const samples = ratios.map((it) => ({ ratio: { tryon: it }, time: { tryon: it ** 9 } }));
  return benchmark(name, samples, own);
}

async function run(args: readonly string[], benchmarks: readonly Benchmark[]) {
  // Benchmarks with made-up samples use nothing else of the environment.
  const environment = { stopServers: async () => {} } as Partial<Environment> as Environment;
  const createEnvironment = async () => environment;
  const [print, write] = [vi.fn<Context["print"]>(), vi.fn<Context["write"]>()];
  const code = await runCli(args, { benchmarks, createEnvironment, print, write });
  const [files = new Map<string, string>()] = write.mock.calls.flat();
  return { code, output: print.mock.calls.join(""), files };
}

const stable = ratiosOf("stable", [0.95, 1, 1.05]);
const unstable = ratiosOf("unstable", [0.94, 1, 1.06]);
const both = [stable, unstable];
const medians = ratiosOf("medians", [1, 9, 2, 4, 3, 4], { samplesPerRun: 3 });
const withGoal = (sample: Sample) =>
  benchmark("failing", [sample], { goals: [{ group: "ratio", row: "peer", max: 1 }] });

test.each([
  ["median, quartiles and runs", [], [unstable], 0, "| tryon | 1 | 0.97 – 1.03 | 3 |"],
  ["medians of samples as runs", [], [medians], 0, "| tryon | 3 | 2.5 – 3.5 | 2 |"],
  ["the load", [], [stable], 0, /before the run: \d.*## Title of stable.*after the run: \d/s],
  ["an unknown name", ["d"], [stable], 2, "benchmark: d. Usage: [stable]… [--write]"],
  ["an unknown option", ["--wirte"], [stable], 2, "benchmark: --wirte. Usage:"],
  ["a part to write", ["stable", "--write"], both, 1, "--write needs every benchmark"],
  ["an unstable ratio", ["--write"], both, 1, ":\n- unstable, Ratio, tryon: quartiles 6.0 % apart"],
  ["a goal without a row", [], [withGoal({ ratio: { a: 1 } })], 1, 'measured no "peer".'],
  ["an infinite figure", [], [withGoal({ ratio: { a: 1 / 0 } })], 1, "failing: a is Infinity."],
  ["an unknown group", [], [withGoal({ size: { a: 1 } })], 1, "failing has no group size."],
] as const)("prints %s", async (_title, args, benchmarks, code, text) => {
  const result = await run(args, benchmarks);
  expect(result).toMatchObject({ code, files: new Map() });
  expect(result.output).toMatch(text);
});

test("runs the named benchmarks in the order of the page", async () => {
  const { output } = await run(["stable", "medians"], [medians, unstable, stable]);
  expect(output.match(/## Title of \w+/g)).toEqual(["## Title of medians", "## Title of stable"]);
});

test("runs the others when one fails, and writes nothing", async () => {
  const { code, output, files } = await run(["--write"], [withGoal({}), stable]);
  expect({ code, files }).toEqual({ code: 1, files: new Map() });
  expect(output).toMatch(/failing failed: .*## Title of stable.*written:\n- failing failed/s);
});

test("writes a page with methods, tables, goals and charts when ratios are stable", async () => {
  const goals = [
    { group: "ratio", row: "@tryon/client", max: 1.2, reason: "It checks more." },
    { group: "ratio", row: "a|b<c", min: 2 },
  ];
  const sample = { ratio: { "@tryon/client": 1.5, "a|b<c": 12_345.6 } };
  const { code, files } = await run(["--write"], [stable, benchmark("a", [sample], { goals })]);
  expect(code).toBe(0);
  const page = files.get("benchmarks.md");
  expect(page).toMatch(/^<!-- Made by `npm run bench -- --write`/);
  expect(page).toMatch(/Measured on \d+ cores .* Node \d+.*load average was \d/);
  const chart = "Title of a: Ratio, medians: @tryon/client 1.5 ×; a";
  expect(page).toContain(`## Title of a\n\nMethod of a.\n\n![${chart}`);
  expect(page).toContain("](images/benchmark-a-ratio.svg)\n\n| Ratio (×) | median |");
  expect(page).toContain("| a\\|b<c | 12,346 | 12,346 – 12,346 | 1 |");
  expect(page).toContain("at most 1.2 ×. Missed with 1.5. It checks more.");
  expect(page).toContain("at least 2 ×. Met.");
  const svg = files.get("images/benchmark-a-ratio.svg");
  expect(svg).toContain("<title>Title of a: Ratio</title>");
  expect(svg).toContain(`<desc>${chart}|b&lt;c 12,346 ×.</desc>`);
});

test("candidates take turns in rotating order, and ratios are taken turn by turn", async () => {
  const order: string[] = [];
  const turns = await takeTurns(["a", "b"], 3, async (name) => {
    order.push(name);
    // Both become slower from turn to turn.
    return (name === "a" ? 1 : 2) * Math.ceil(order.length / 2);
  });
  expect(order.join("")).toBe("abbaab");
  expect(mediansOf(turns)).toEqual({ a: 2, b: 4 });
  expect(ratiosTo("a", turns)).toEqual({ b: 2 });
});
