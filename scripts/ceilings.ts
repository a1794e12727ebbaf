// `npm run ceilings`: prints the lines of each package with their difference to the base, and fails above a ceiling.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "@tryon/test-kit/repository";
import { filesIn, findWords } from "./words.ts";

const code = /^(?!.*\/generated\/).*\.([cm]?[jt]sx?|css|html)$/;
const shipped = /^packages\/(client|webhooks|mock|contract|cli|command-line)\/src\/(?!.*\.test\.)/;
const raiseHint = "or raise the ceiling in ceilings.json in a separate commit that says why.";

type Kind = "shipped lines" | "test lines";
type Counts = Readonly<Record<Kind | "words to avoid", number>>;

export function compare(ceilings: Counts, counts: Counts): readonly string[] {
  return Object.entries(counts).flatMap(([what, count]) => {
    const ceiling = ceilings[what as keyof Counts];
    const state = `${count} ${what}, ceiling ${ceiling}.`;
    return count > ceiling ? [`${state} Remove ${count - ceiling}, ${raiseHint}`] : [];
  });
}

/** Adds lines of files to their package. */
function perPackage(files: Iterable<readonly [path: string, lines: number]>) {
  const sums = new Map<string, Record<Kind, number>>();
  for (const [path, lines] of files) {
    if (!code.test(path)) continue;
    const [, name = "."] = /^((?:packages\/)?[^/]+)\//.exec(path) ?? [];
    const sum = sums.get(name) ?? { "shipped lines": 0, "test lines": 0 };
    sums.set(name, sum);
    sum[shipped.test(path) ? "shipped lines" : "test lines"] += lines;
  }
  return sums;
}

function git(...args: readonly string[]): string {
  // Its errors are not printed: a clone may lack the base.
  return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: "pipe" }).trim();
}

/** Lines that the working copy has more than its base, or none if the clone lacks the base. */
function difference(): ReturnType<typeof perPackage> {
  try {
    const base = git("merge-base", "HEAD", process.env["BASE"] ?? "origin/main");
    const rows = git("diff", "--no-renames", "--numstat", base).split("\n");
    return perPackage(
      rows.map((row) => {
        const [added, removed, path = ""] = row.split("\t");
        return [path, Number(added) - Number(removed)];
      }),
    );
  } catch {
    return new Map();
  }
}

if (import.meta.main) {
  const files = filesIn();
  const sums = perPackage(
    files
      .filter((file) => code.test(file))
      .map((file) => [file, readFileSync(join(root, file), "utf8").split("\n").length - 1]),
  );
  const changes = difference();
  const total = (kind: Kind) => [...sums.values()].reduce((sum, row) => sum + row[kind], 0);
  for (const [name, sum] of sums) {
    const cells = (["shipped lines", "test lines"] as const).map((kind) => {
      const change = changes.get(name)?.[kind] ?? 0;
      const sign = change === 0 ? "" : ` (${change > 0 ? "+" : ""}${change})`;
      return `${kind}: ${sum[kind]}${sign}`.padEnd(30);
    });
    process.stdout.write(`${name.padEnd(24)}${cells.join("").trimEnd()}\n`);
  }
  const counts = {
    "shipped lines": total("shipped lines"),
    "test lines": total("test lines"),
    "words to avoid": findWords(files).length,
  };
  process.stdout.write(`${JSON.stringify(counts)}\n`);
  const file = join(root, "ceilings.json");
  const ceilings = JSON.parse(readFileSync(file, "utf8")) as Counts;
  const lowered = Object.entries(counts).map(([what, count]) => [
    what,
    Math.min(count, ceilings[what as keyof Counts]),
  ]);
  if (process.argv[2] === "--lower")
    writeFileSync(file, `${JSON.stringify(Object.fromEntries(lowered), null, 2)}\n`);
  const problems = compare(ceilings, counts);
  if (problems.some((problem) => problem.includes("words to avoid")))
    process.stderr.write("New words: npm run words -- $(git ls-files -mo --exclude-standard)\n");
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
