import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

import { root } from "@tryon/test-kit/repository";

const checked =
  /^(?!.*\b(generated|vectors)\/|docs\/(STYLE|licenses|llms)|pnpm-lock).*\.([cm]?[jt]sx?|md|html|json|ya?ml)$/;

const rows = readFileSync(join(root, "docs/words.tsv"), "utf8").trim().split("\n").slice(1);
const prose = wordsIn("prose");
const names = wordsIn("names");

/** Words to avoid as one pattern with a group for each row, and what to use instead of each. */
function wordsIn(scope: "prose" | "names") {
  const chosen = rows.map((row) => row.split("\t")).filter(([, , only = scope]) => only === scope);
  const groups = chosen.map(([avoid = ""]) => {
    const forms = avoid
      .split(", ")
      .map((entry) => entry.replace("…", "[a-z]+").replace(/\w+/, "$&(?:s|es|d|ed|ing)?"));
    return `\\b(${forms.join("|")})\\b`;
  });
  return { pattern: new RegExp(groups.join("|"), "gi"), uses: chosen.map(([, use = ""]) => use) };
}

/** Lists the files at some paths, or all files, without those that git ignores. */
export function filesIn(...paths: readonly string[]): readonly string[] {
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...paths];
  const files = execFileSync("git", list, { cwd: root, encoding: "utf8" }).split("\0").slice(0, -1);
  return files.filter((file) => existsSync(join(root, file)));
}

/** Finds what docs/STYLE.md advises against, each as "file:line: advice". */
export function findWords(files: readonly string[]): readonly string[] {
  const inPaths = files
    .filter((file) => !file.includes("/generated/"))
    .flatMap((file) => inName(basename(file)).map((it) => `${file}:1: ${it}`));
  const inFiles = files
    .filter((file) => checked.test(file))
    .flatMap((file) => {
      const find = /\.(md|html)$/.test(file) ? inText : inCode;
      const lines = readFileSync(join(root, file), "utf8").split("\n");
      return lines.flatMap((line, index) => find(line).map((it) => `${file}:${index + 1}: ${it}`));
    });
  return [...inPaths, ...inFiles];
}

export function inText(line: string): readonly string[] {
  const sentences = /^\s*[|#]/.test(line) ? [] : line.split(/(?<=[.!?:;]) /);
  const long = sentences.filter((sentence) => sentence.split(/\s+/).length > 28);
  return [...avoided(line), ...long.map((text) => `split "${text.slice(0, 50)}…" in two`)];
}

export function inCode(line: string): readonly string[] {
  const texts = /\/\/.*|^\s*\/?\*.*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/g;
  const starts = line.match(/(?<=^\s*(\/\*\*|\*|\/\/) )(Wh(at(ever)?|ether|o(se)?|ere)|How|Of) /g);
  return [
    ...avoided((line.match(texts) ?? []).join(" ")),
    ...(starts ?? []).map((word) => `start with a verb or a noun, not "${word.trim()}"`),
    ...(line.replaceAll(texts, "").match(/[a-z]\w*/gi) ?? []).flatMap(inName),
  ];
}

/** Finds words to avoid in the parts of an identifier or of the name of a file. */
function inName(name: string): readonly string[] {
  const parts = name.replaceAll(/(?<=[a-z\d])(?=[A-Z])|[-_.]/g, " ");
  const isMax = /^(?:longest|shortest|most|least|fewest|largest)[A-Z]/.test(name);
  return [...avoided(parts, names), ...(isMax ? [`name "${name}" max… or min…`] : [])];
}

function avoided(text: string, { pattern, uses } = prose): readonly string[] {
  return [...text.matchAll(pattern)].map(([word, ...groups]) => {
    const use = uses[groups.findIndex((group) => group !== undefined)];
    return `"${word}": use ${use}`;
  });
}

if (import.meta.main)
  for (const finding of findWords(filesIn(...process.argv.slice(2))))
    process.stdout.write(`${finding}\n`);
