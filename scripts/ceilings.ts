import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { root } from "@tryon/test-kit/repository";
import { filesIn, findWords } from "./words.ts";

/** A number by what is counted, such as "test lines", and then by folder. */
type Counts = Record<string, Record<string, number>>;

const code = /^(?!.*\/generated\/).*\.([cm]?[jt]sx?|css|html)$/;
const shipped = /^packages\/(client|webhooks|mock|contract|cli|command-line)\/src\/(?!.*\.test\.)/;

/** Factor for counts that vary: memory in each run, the types of the repository with each change. */
const headroom: Record<string, number> = { "MB of memory": 1.25, "all code": 1.05 };

const raiseHint = "or raise the ceiling in ceilings.json in a separate commit that says why.";
const advice = "Lower it: run the same command with --lower.";

/** Compares counts with their ceilings, and returns the ceilings lowered to the counts; a missing one is added. */
export function compare(ceilings: Counts, counts: Counts): { problems: string[]; lower: Counts } {
  const problems: string[] = [];
  const lower = structuredClone(ceilings);
  for (const [what, folders] of Object.entries(counts)) {
    const lowered = (lower[what] ??= {});
    for (const folder of Object.keys({ ...lowered, ...folders })) {
      const { [folder]: count = 0 } = folders;
      const { [folder]: ceiling = Infinity } = lowered;
      const factor = headroom[what] ?? headroom[folder] ?? 1;
      const aim = Math.ceil(count * factor);
      lowered[folder] = Math.min(ceiling, aim);
      const state = `${folder}: ${count} ${what}, ceiling ${ceiling}.`;
      if (count > ceiling) problems.push(`${state} Remove ${count - ceiling}, ${raiseHint}`);
      else if (aim * factor < ceiling * 0.98 - 5) problems.push(`${state} ${advice}`);
    }
  }
  return { problems, lower };
}

function countLinesAndWords(): Counts {
  const counts: Counts = { "shipped lines": {}, "test lines": {}, "words to avoid": {} };
  const add = (what: string, file: string, count: number): void => {
    const [folder] = /^(packages\/[^/]+|docs\/site|[^/]+(?=\/))/.exec(file) ?? ["."];
    const folders = (counts[what] ??= {});
    folders[folder] = (folders[folder] ?? 0) + count;
  };
  const files = filesIn();
  for (const file of files.filter((path) => code.test(path))) {
    const lines = readFileSync(join(root, file), "utf8").split("\n").length - 1;
    add(shipped.test(file) ? "shipped lines" : "test lines", file, lines);
  }
  for (const finding of findWords(files)) add("words to avoid", finding.replace(/:.*/, ""), 1);
  return counts;
}

/** Measures the type check of the repository and of a small app that uses the built client. */
function countTypes(): Counts {
  const counts = { instantiations: {}, "MB of memory": {} } satisfies Counts;
  const projects = { "all code": ".", "small app": "packages/client/test/small-app" };
  for (const [name, project] of Object.entries(projects)) {
    const args = ["node_modules/typescript/bin/tsc", "-p", project, "--extendedDiagnostics"];
    const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
    const found = /^Instantiations: +(\d+)\nMemory used: +(\d+)K/m.exec(stdout);
    if (found === null || stdout.includes("error TS")) throw new Error(stdout);
    Object.assign(counts.instantiations, { [name]: Number(found[1]) });
    Object.assign(counts["MB of memory"], { [name]: Math.ceil(Number(found[2]) / 1024) });
  }
  return counts;
}

if (import.meta.main) {
  const flag = { type: "boolean" } as const;
  const { values } = parseArgs({ options: { lower: flag, types: flag } });
  const file = join(root, "ceilings.json");
  const ceilings = JSON.parse(readFileSync(file, "utf8")) as Counts;
  const counts = values.types ? countTypes() : countLinesAndWords();
  const { lower } = compare(ceilings, counts);
  if (values.lower) writeFileSync(file, `${JSON.stringify(lower, null, 2)}\n`);
  const { problems } = compare(values.lower ? lower : ceilings, counts);
  if (problems.some((problem) => problem.includes("words to avoid, ceiling")))
    problems.push("New ones: npm run words -- $(git ls-files -mo --exclude-standard)");
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
