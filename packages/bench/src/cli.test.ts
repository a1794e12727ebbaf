import { expect, test } from "vitest";

import type { Benchmark } from "./benchmark.ts";
import { runCli } from "./cli.ts";
import type { Environment } from "./environment.ts";
import { mediansOf, ratiosTo, takeTurns, type Sample } from "./statistics.ts";

const groups = { ratio: { title: "Ratio", unit: "×", chart: true } };

function benchmark(name: string, samples: readonly Sample[], own: Partial<Benchmark> = {}) {
  const texts = { title: `Title of ${name}`, method: `Method of ${name}.` };
  const measure = async function* (): AsyncIterable<Sample> {
    yield* samples;
  };
  return { name, ...texts, groups, measure, ...own };
}

/** Creates a benchmark with one row of ratios. */
function ratiosOf(name: string, ...ratios: readonly number[]) {
  const samples = ratios.map((ratio) => ({ ratio: { "@tryon/client": ratio } }));
  return benchmark(name, samples);
}

async function run(args: readonly string[], benchmarks: readonly Benchmark[]) {
  let output = "";
  let files: ReadonlyMap<string, string> = new Map();
  // Benchmarks with made-up samples use nothing else of the environment.
  const environment = { stopServers: async () => {} } as Partial<Environment> as Environment;
  const code = await runCli(args, {
    benchmarks,
    createEnvironment: async () => environment,
    print: (text) => void (output += text),
    write: async (written) => void (files = written),
  });
  return { code, output, files, paths: [...files.keys()] };
}

test("prints median, quartiles, runs and the load before and after", async () => {
  const { code, output, paths } = await run([], [ratiosOf("a", 9, 1, 5, 7)]);
  expect(code).toBe(0);
  expect(output).toContain("| @tryon/client | 6 | 4 – 7.5 | 4 |");
  expect(output).toMatch(/Load average before the run: \d.*## Title of a.*after the run: \d/s);
  expect(paths).toEqual([]);
});

test("runs the named benchmarks in the order of the page", async () => {
  const benchmarks = ["a", "b", "c"].map((name) => ratiosOf(name, 1));
  const { output } = await run(["c", "a"], benchmarks);
  expect(output.match(/## Title of ./g)).toEqual(["## Title of a", "## Title of c"]);
});

test.each(["d", "--wirte"])("rejects the unknown argument %s and prints the usage", async (arg) => {
  const { code, output } = await run([arg], [ratiosOf("a", 1)]);
  expect(code).toBe(2);
  expect(output).toMatch(new RegExp(`${arg}.*Usage: \\[a\\]… \\[--write\\]`, "s"));
});

test("refuses to write when the quartiles of a ratio are more than 5 % apart", async () => {
  const stable = ratiosOf("stable", 0.975, 1, 1.025);
  const unstable = ratiosOf("unstable", 0.94, 1, 1.06);
  const { code, output, paths } = await run(["--write"], [stable, unstable]);
  expect({ code, paths }).toEqual({ code: 1, paths: [] });
  expect(output).toContain(
    "- unstable, Ratio, @tryon/client: quartiles 0.970 and 1.030, median 1.000\nStop other work on this machine, wait until its load is low, and run again.",
  );
  expect(output).not.toContain("- stable");
});

test("writes when quartiles are 5 % apart, and when other figures vary more", async () => {
  const withTime = { ratio: { title: "Ratio", unit: "×" }, time: { title: "Time", unit: "ms" } };
  const samples = [0.95, 1, 1.05].map((value) => ({
    ratio: { a: value },
    time: { a: value ** 9 },
  }));
  const own = { groups: withTime };
  const { code, paths } = await run(["--write"], [benchmark("a", samples, own)]);
  expect({ code, paths }).toEqual({ code: 0, paths: ["benchmarks.md"] });
});

test("refuses to write a part of the benchmarks", async () => {
  const { code, output, paths } = await run(["a", "--write"], [ratiosOf("a", 1), ratiosOf("b", 1)]);
  expect({ code, paths }).toEqual({ code: 1, paths: [] });
  expect(output).toContain("--write needs every benchmark");
});

test.each([
  [{ ratio: { a: 1 } }, 'failing measured no "peer".'],
  [{ ratio: { a: Number.NaN } }, "failing: a is NaN."],
  [{ time: { a: 1 } }, "failing has no group time."],
])("refuses to write when a benchmark fails with %j, and runs the others", async (sample, text) => {
  const goals = [{ group: "ratio", row: "peer", max: 1 }];
  const failing = benchmark("failing", [sample], { goals });
  const { code, output, paths } = await run(["--write"], [failing, ratiosOf("b", 1)]);
  expect({ code, paths }).toEqual({ code: 1, paths: [] });
  expect(output).toContain(`failing failed: ${text}`);
  expect(output).toContain("## Title of b");
  expect(output).toContain("Nothing was written, because not every benchmark ran.");
});

test("writes a page with methods, tables, goals and charts", async () => {
  const goals = [
    { group: "ratio", row: "@tryon/client", max: 1.2, reason: "It checks more." },
    { group: "ratio", row: "a|b<c", min: 2 },
  ];
  const sample = { ratio: { "@tryon/client": 1.5, "a|b<c": 12_345.6 } };
  const { files } = await run(["--write"], [benchmark("a", [sample], { goals })]);
  const page = files.get("benchmarks.md");
  expect(page).toMatch(/^<!-- Made by `npm run bench -- --write`/);
  expect(page).toMatch(/Measured on \d+ cores .* Node \d+.*load average was \d/);
  const medians = "Title of a: Ratio, medians: @tryon/client 1.5 ×; a";
  expect(page).toContain(`## Title of a\n\nMethod of a.\n\n![${medians}`);
  expect(page).toContain("](images/benchmark-a-ratio.svg)\n\n| Ratio (×) | median |");
  expect(page).toContain("| a\\|b<c | 12,346 | 12,346 – 12,346 | 1 |");
  expect(page).toContain("at most 1.2 ×. Missed with 1.5. It checks more.");
  expect(page).toContain("at least 2 ×. Met.");
  const chart = files.get("images/benchmark-a-ratio.svg");
  expect(chart).toContain("<title>Title of a: Ratio</title>");
  expect(chart).toContain(`<desc>${medians}|b&lt;c 12,346 ×.</desc>`);
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
