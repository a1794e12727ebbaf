// `npm run ceilings`: prints the lines of each package with their difference to the base, and fails above a ceiling.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "@tryon/test-kit/repository";
import { filesIn, findWords } from "./words.ts";

const code = /^(?!.*\/generated\/).*\.([cm]?[jt]sx?|css|html)$/;
const shipped =
  /^packages\/(client|webhooks|mock|contract|cli(-kit)?|shared|ai-sdk)\/src\/(?!.*\.test\.)/;
const raiseHint = "or raise the ceiling in ceilings.json in a separate commit that says why.";

type Counts = Readonly<Record<string, number>>;

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: "pipe" }).trim();
}

/** Adds lines of files by package, and in total. */
function sum(files: Iterable<readonly [path: string, lines: number]>): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [path, lines] of files) {
    if (!code.test(path)) continue;
    const [, name = "."] = /^((?:packages\/)?[^/]+)\//.exec(path) ?? [];
    const kind = shipped.test(path) ? "shipped lines" : "test lines";
    for (const key of [kind, `${name}: ${kind}`]) sums.set(key, (sums.get(key) ?? 0) + lines);
  }
  return sums;
}

/** Lines that the working copy has more than its base, or none if the clone lacks the base. */
function difference(): Map<string, number> {
  try {
    const base = git("merge-base", "HEAD", process.env["BASE"] ?? "origin/main");
    const rows = git("diff", "--no-renames", "--numstat", base).split("\n");
    const cells = rows.map((row) => row.split("\t"));
    return sum(cells.map(([more, fewer, path = ""]) => [path, Number(more) - Number(fewer)]));
  } catch {
    return new Map();
  }
}

if (import.meta.main) {
  const files = filesIn();
  const sums = sum(
    files
      .filter((path) => code.test(path))
      .map((path) => [path, read(path).split("\n").length - 1]),
  );
  const changes = difference();
  for (const key of [...sums.keys()].toSorted()) {
    const change = changes.get(key) ?? 0;
    process.stdout.write(`${key}: ${sums.get(key)} (${change > 0 ? "+" : ""}${change})\n`);
  }
  const ceilings = JSON.parse(read("ceilings.json")) as Counts;
  const counts: Counts = {
    "shipped lines": sums.get("shipped lines") ?? 0,
    "test lines": sums.get("test lines") ?? 0,
    "words to avoid": findWords(files).length,
  };
  const problems = Object.entries(counts).flatMap(([what, count]) => {
    const { [what]: ceiling = 0 } = ceilings;
    if (count <= ceiling) return [];
    return [`${count} ${what}, ceiling ${ceiling}. Remove ${count - ceiling}, ${raiseHint}`];
  });
  if (process.argv[2] === "--lower") {
    const lower = Object.entries(counts).map(([what, count]) => [
      what,
      Math.min(count, ceilings[what] ?? count),
    ]);
    const text = JSON.stringify(Object.fromEntries(lower), null, 2);
    writeFileSync(join(root, "ceilings.json"), `${text}\n`);
  }
  if (problems.some((problem) => problem.includes("words to avoid")))
    process.stderr.write("New words: npm run words -- $(git ls-files -mo --exclude-standard)\n");
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
