import { globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";

import type { Benchmark } from "./benchmark.ts";
import { runCli, type Context } from "./cli.ts";
import { Environment } from "./environment.ts";
import { context, docs } from "./main.ts";
import { mediansOf, ratiosTo, takeTurns, type Sample } from "./statistics.ts";

function benchmark(name: string, samples: readonly Sample[], own: Partial<Benchmark> = {}) {
  const groups = { ratio: "Ratio (×)", time: "Time (ms)" };
  const measure = async function* (): AsyncIterable<Sample> {
    yield* samples;
  };
  return { name, title: `Title of ${name}`, groups, measure, ...own };
}

/** Creates a benchmark with one row of ratios, and times that vary more. */
function ratiosOf(name: string, ratios: readonly number[], own?: Partial<Benchmark>) {
  const samples = ratios.map((it) => ({ ratio: { tryon: it }, time: { tryon: it ** 9 } }));
  return benchmark(name, samples, own);
}

async function run(args: readonly string[], sources: Partial<Context>) {
  // Benchmarks with made-up samples use nothing else of the environment.
  const unused = { stopServers: async () => {}, takeFailures: () => [] };
  const environment = unused as Partial<Environment> as Environment;
  const createEnvironment = async () => environment;
  const [print, write] = [vi.fn<Context["print"]>(), vi.fn<Context["write"]>()];
  const save = vi.fn<Context["save"]>();
  const code = await runCli(args, {
    ...context,
    createEnvironment,
    print,
    save,
    write,
    ...sources,
  });
  const [files = new Map<string, string>()] = write.mock.calls[0] ?? [];
  const [results] = save.mock.calls.at(-1) ?? [];
  return { code, output: print.mock.calls.join(""), files, results };
}

const stable = ratiosOf("stable", [0.95, 1, 1.05]);
const unstable = ratiosOf("unstable", [0.94, 1, 1.06]);
const medians = ratiosOf("medians", [1, 9, 2, 4, 3, 4], { samplesPerRun: 3 });
const goals = [
  { group: "failing.ratio", row: "peer", max: 1 },
  { group: "a.ratio", row: "@tryon/client", max: 1.2, reason: "It checks more." },
  { group: "a.ratio", row: "a|b<c", min: 2 },
];
const failing = (sample: Sample) => benchmark("failing", [sample]);

test.each([
  ["median, quartiles and runs", [], [unstable], 0, "| tryon | 1 | 0.97 – 1.03 | 3 |"],
  ["medians of samples as runs", [], [medians], 0, "| tryon | 3 | 2.5 – 3.5 | 2 |"],
  ["the load", [], [stable], 0, /## Title of stable.*Load average: \d.* before and \d.* after it/s],
  ["an unknown name", ["d"], [stable], 2, "benchmark: d. Usage: [stable]… [--write]"],
  ["a benchmark to render", ["stable", "--render"], [stable], 2, "benchmark: --render. Usage:"],
  ["a goal without a row", [], [failing({ ratio: { a: 1 } })], 1, 'measured no "peer".'],
  ["an infinite figure", [], [failing({ ratio: { a: 1 / 0 } })], 1, "failing: a is Infinity."],
  ["an unknown group", [], [failing({ size: { a: 1 } })], 1, "failing has no group size."],
] as const)("prints %s", async (_title, args, benchmarks, code, text) => {
  const result = await run(args, { benchmarks, goals });
  expect(result).toMatchObject({ code, files: new Map() });
  expect(result.output).toMatch(text);
});

test("runs the named benchmarks in the order of the page", async () => {
  const { output } = await run(["stable", "medians"], { benchmarks: [medians, unstable, stable] });
  expect(output.match(/## Title of \w+/g)).toEqual(["## Title of medians", "## Title of stable"]);
});

test("runs and writes the others when one fails", async () => {
  const benchmarks = [failing({}), unstable];
  const sources = { benchmarks, goals, pages: new Map() };
  const { code, output, results } = await run(["--write"], sources);
  expect(code).toBe(1);
  expect(output).toMatch(/failing failed: .*## Title of unstable/s);
  expect(results?.figures["unstable"]?.["ratio"]?.["tryon"]).toMatchObject({ median: 1 });
  expect(results?.figures).not.toHaveProperty("failing");
});

test("writes one benchmark at once, and keeps the results of the others", async () => {
  const pages = new Map([
    ["page.md", "[[unstable]] up to [[maxSpread]] %: [[table unstable.ratio]]"],
  ]);
  const first = await run(["unstable", "--write"], { benchmarks: [stable, unstable], pages });
  expect(first.files.get("page.md")).toMatch(/1 up to 6 %: .*0.97 – 1.03/s);
  const { loads, figures } = first.results ?? {};
  expect(loads?.["unstable"]).toEqual([expect.any(Number), expect.any(Number)]);
  expect(figures).toEqual({ ...context.results.figures, unstable: expect.anything() });
});

async function* measureMissing(environment: Environment): AsyncIterable<Sample> {
  yield environment.runCandidate("missing.mjs");
  yield { ratio: { tryon: 2 } };
}

test("reports a failed run of a candidate, and keeps the others", async () => {
  const environment = new Environment();
  const { code, output } = await run(["a"], {
    benchmarks: [benchmark("a", [], { measure: measureMissing })],
    createEnvironment: async () => environment,
  });
  rmSync(environment.folder, { recursive: true });
  expect(code).toBe(1);
  expect(output).toMatch(/\| tryon \| 2 \|.*a: a run failed: node missing.mjs ended with 1:/s);
});

test("writes the filled pages, charts and results when ratios are stable", async () => {
  const figures = "[[cores]] cores, [[a.ratio: bare]], [[a.ratio: others]]";
  const text = `${figures}\n[[chart a.ratio without slow]]\n[[table stable.time]]\n[[missed]]\n[[met]]`;
  const sample = { ratio: { "a|b<c": 12_345.6, "@tryon/client": 1.5, bare: 1, peer: 3, slow: 9 } };
  const pages = new Map([["page.md", text]]);
  const benchmarks = [stable, benchmark("a", [sample])];
  const { code, files, results } = await run(["--write"], { benchmarks, goals, pages });
  expect(code).toBe(0);
  expect(results?.figures["a"]?.["ratio"]?.["bare"]).toEqual({ q1: 1, median: 1, q3: 1, runs: 1 });
  const page = files.get("page.md");
  expect(page).toMatch(/^<!-- Made .* -->\n\n\d+ cores, 1, 3 \(peer\) to 12,346 \(a\|b<c\)\n!\[T/);
  const table = "<details><summary>Table</summary>\n\n| Ratio (×) | median |";
  expect(page).toContain(`](images/benchmark-a-ratio.svg)\n\n${table}`);
  expect(page).toContain("| a\\|b<c | 12,346 | 12,346 – 12,346 | 1 |");
  expect(page).toContain("<details><summary>Table: Time (ms)</summary>\n\n| Time (ms) | median |");
  expect(page).toContain(": 1.5 misses the goal of at most 1.2 ×. It checks more.\n- Title of a");
  expect(page).toMatch(/: 12,346 meets the goal of at least 2 ×\.$/);
  const svg = files.get("images/benchmark-a-ratio.svg");
  expect(svg).toContain("<title>Title of a: Ratio</title>");
  expect(svg).toMatch(/<desc>.*: a\|b&lt;c 12,346 ×; @tryon\/client 1.5 ×; bare 1 ×; peer 3 ×.</);
  expect(svg?.match(/(?<=class=")bar[^"]*/g)).toEqual(["bar", "bar ours", "bar", "bar"]);
});

test("the pages in docs are rendered from the results, each table once", async () => {
  const { files, results } = await run(["--render"], {});
  expect(results).toBeUndefined();
  const charts = globSync("images/benchmark-*.svg", { cwd: docs });
  expect([...files.keys()].toSorted()).toEqual([...context.pages.keys(), ...charts].toSorted());
  for (const [path, text] of files) expect(readFileSync(join(docs, path), "utf8")).toBe(text);
  const tables = [...files.values()].join("").match(/\| median \|/g);
  // The tables of a new group follow when its results are recorded.
  const recorded = Object.values(context.results.figures).flatMap((groups) => Object.keys(groups));
  expect(tables).toHaveLength(recorded.length);
  const pages = new Map([["page.md", "[[table upload.size]]"]]);
  await expect(run(["--render"], { pages })).rejects.toThrow("measured for [[table upload.size]]");
});

test("renders no goal and no table of a group without results, which a run must measure", async () => {
  const goal = { group: "stable.size", row: "tryon", max: 1 };
  const benchmarks = [{ ...stable, groups: { ...stable.groups, size: "Size (bytes)" } }];
  const results = { ...context.results, figures: {} };
  const sources = (page: string) => {
    return { benchmarks, goals: [goal], results, pages: new Map([["page.md", page]]) };
  };
  const { files } = await run(["--render"], sources("[[met]][[missed]]"));
  expect(files.get("page.md")).toMatch(/-->\n\n$/);
  const table = run(["--render"], sources("[[table stable.size]]"));
  await expect(table).rejects.toThrow("Nothing is measured for [[table stable.size]].");
  const { output } = await run([], sources(""));
  expect(output).toContain('stable measured no "tryon".');
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
