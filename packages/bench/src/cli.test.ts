import { expect, test } from "vitest";

import type { Benchmark } from "./benchmark.ts";
import { runCli } from "./cli.ts";
import type { Environment } from "./environment.ts";
import { mediansOf, ratiosTo, takeTurns, type Sample } from "./statistics.ts";

function benchmark(name: string, samples: readonly Sample[], own: Partial<Benchmark> = {}) {
  const groups = { ratio: { title: "Ratio", unit: "×", chart: true } } as const;
  return {
    name,
    title: `Title of ${name}`,
    method: `Method of ${name}.`,
    groups,
    async *measure() {
      yield* samples;
    },
    ...own,
  } satisfies Benchmark;
}

const samplesOf = (...values: readonly number[]): readonly Sample[] =>
  values.map((value) => ({ ratio: { "@tryon/client": value } }));

async function run(args: readonly string[], benchmarks: readonly Benchmark[]) {
  let output = "";
  let files: ReadonlyMap<string, string> = new Map();
  // Benchmarks with made-up samples use nothing else of the environment.
  const environment = {
    stopServers: async () => undefined,
  } as Partial<Environment> as Environment;
  const code = await runCli(args, {
    benchmarks,
    createEnvironment: async () => environment,
    print: (text) => void (output += text),
    write: async (written) => void (files = written),
  });
  return { code, output, files };
}

test("prints median, quartiles, runs and the load before and after", async () => {
  const { code, output, files } = await run([], [benchmark("a", samplesOf(9, 1, 5, 7))]);
  expect(code).toBe(0);
  expect(output).toContain("| @tryon/client | 6 | 4 – 7.50 | 4 |");
  expect(output).toMatch(/Load average before the run: \d.*## Title of a.*after the run: \d/s);
  expect(files.size).toBe(0);
});

test("runs the named benchmarks in the order of the page", async () => {
  const benchmarks = ["a", "b", "c"].map((name) => benchmark(name, samplesOf(1)));
  const { output } = await run(["c", "a"], benchmarks);
  expect(output.match(/## Title of ./g)).toEqual(["## Title of a", "## Title of c"]);
});

test.each(["d", "--wirte"])("rejects the unknown argument %s and prints the usage", async (arg) => {
  const { code, output } = await run([arg], [benchmark("a", samplesOf(1))]);
  expect(code).toBe(2);
  expect(output).toMatch(new RegExp(`${arg}.*Usage: \\[a\\]… \\[--write\\]`, "s"));
});

test("refuses to write when the quartiles of a ratio are more than 5 % apart", async () => {
  const stable = benchmark("stable", samplesOf(0.975, 1, 1.025));
  const unstable = benchmark("unstable", samplesOf(0.94, 1, 1.06));
  const { code, output, files } = await run(["--write"], [stable, unstable]);
  expect(code).toBe(1);
  expect(files.size).toBe(0);
  expect(output).toContain(
    "- unstable, Ratio, @tryon/client: quartiles 0.970 and 1.030, median 1.000\nStop other work on this machine, wait until its load is low, and run again.",
  );
  expect(output).not.toContain("- stable");
});

test("writes when quartiles are 5 % apart, and when other figures vary more", async () => {
  const groups = {
    ratio: { title: "Ratio", unit: "×" },
    time: { title: "Time", unit: "ms" },
  } as const;
  const samples = [0.95, 1, 1.05].map((value) => ({
    ratio: { a: value },
    time: { a: value ** 9 },
  }));
  const { code, files } = await run(["--write"], [benchmark("a", samples, { groups })]);
  expect(code).toBe(0);
  expect([...files.keys()]).toEqual(["benchmarks.md"]);
});

test("refuses to write a part of the benchmarks", async () => {
  const benchmarks = [benchmark("a", samplesOf(1)), benchmark("b", samplesOf(1))];
  const { code, output, files } = await run(["a", "--write"], benchmarks);
  expect(code).toBe(1);
  expect(output).toContain("--write needs every benchmark");
  expect(files.size).toBe(0);
});

test("refuses to write when a benchmark fails, and runs the others", async () => {
  const groups = { ratio: { title: "Ratio", unit: "×", goals: { peer: { max: 1 } } } } as const;
  const failing = benchmark("failing", samplesOf(1), { groups });
  const { code, output, files } = await run(["--write"], [failing, benchmark("b", samplesOf(1))]);
  expect(code).toBe(1);
  expect(output).toContain('failing failed: failing measured no "peer".');
  expect(output).toContain("## Title of b");
  expect(output).toContain("Nothing was written, because not every benchmark ran.");
  expect(files.size).toBe(0);
});

test("writes a page with methods, tables, goals and charts", async () => {
  const groups = {
    ratio: {
      title: "Ratio",
      unit: "×",
      chart: true,
      goals: { "@tryon/client": { max: 1.2, reason: "It checks more." }, "a|b<c": { min: 2 } },
    },
  } as const;
  const sample = { ratio: { "@tryon/client": 1.5, "a|b<c": 12_345.6 } };
  const { files } = await run(["--write"], [benchmark("a", [sample], { groups })]);
  const page = files.get("benchmarks.md");
  expect(page).toMatch(/^<!-- Made by `npm run bench -- --write`/);
  expect(page).toMatch(/Measured on \d+ cores .* Node \d+.*load average was \d/);
  expect(page).toContain(
    "## Title of a\n\nMethod of a.\n\n![Title of a: Ratio, medians: @tryon/client 1.50 ×;",
  );
  expect(page).toContain("](images/benchmark-a-ratio.svg)\n\n| Ratio (×) | median |");
  expect(page).toContain("| a\\|b<c | 12,346 | 12,346 – 12,346 | 1 |");
  expect(page).toContain("at most 1.20 ×. Missed with 1.50. It checks more.");
  expect(page).toContain("at least 2 ×. Met.");
  const chart = files.get("images/benchmark-a-ratio.svg");
  expect(chart).toContain("<title>Title of a: Ratio</title>");
  expect(chart).toContain(
    "<desc>Title of a: Ratio, medians: @tryon/client 1.50 ×; a|b&lt;c 12,346 ×.</desc>",
  );
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
