import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "@tryon/test-kit/repository";

const checked =
  /^(?!.*\b(generated|vectors)\/|docs\/(STYLE|licenses|llms)|pnpm-lock).*\.([cm]?[jt]sx?|md|html|json|ya?ml)$/;

/** The lines of docs/words.tsv: what to avoid as a pattern, and what to use. */
const rows = readFileSync(join(root, "docs/words.tsv"), "utf8").trim().split("\n").slice(1);
const words = rows.map((row) => {
  const [avoid = "", use = ""] = row.split("\t");
  const forms = avoid
    .split(", ")
    .map((entry) => entry.replace("…", "[a-z]+").replace(/\w+/, "$&(?:s|es|d|ed|ing)?"));
  return { pattern: `\\b(${forms.join("|")})\\b`, use };
});
const anyWord = new RegExp(words.map(({ pattern }) => pattern).join("|"), "gi");

/** Lists the files at some paths, or all files, without those that git ignores. */
export function filesIn(...paths: readonly string[]): readonly string[] {
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...paths];
  const files = execFileSync("git", list, { cwd: root, encoding: "utf8" }).split("\0").slice(0, -1);
  return files.filter((file) => existsSync(join(root, file)));
}

/** Finds what docs/STYLE.md advises against, each as "file:line: advice". */
export function findWords(files: readonly string[]): readonly string[] {
  return files
    .filter((file) => checked.test(file))
    .flatMap((file) => {
      const find = /\.(md|html)$/.test(file) ? inText : inCode;
      const lines = readFileSync(join(root, file), "utf8").split("\n");
      return lines.flatMap((line, index) => find(line).map((it) => `${file}:${index + 1}: ${it}`));
    });
}

export function inText(line: string): readonly string[] {
  const sentences = /^\s*[|#]/.test(line) ? [] : line.split(/(?<=[.!?:;]) /);
  const long = sentences.filter((sentence) => sentence.split(/\s+/).length > 28);
  return [...avoided(line), ...long.map((text) => `split "${text.slice(0, 50)}…" in two`)];
}

export function inCode(line: string): readonly string[] {
  const prose = line.match(/\/\/.*|^\s*\/?\*.*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/g) ?? [];
  const starts = line.match(/(?<=^\s*(\/\*\*|\*|\/\/) )(Wh(at(ever)?|ether|o(se)?|ere)|How|Of) /g);
  const names = line.match(/\b(?:longest|shortest|most|least|fewest|largest)[A-Z]\w*/g) ?? [];
  return [
    ...avoided(prose.join(" ")),
    ...(starts ?? []).map((word) => `start with a verb or a noun, not "${word.trim()}"`),
    ...names.map((name) => `name "${name}" max… or min…`),
  ];
}

function avoided(prose: string): readonly string[] {
  return [...prose.matchAll(anyWord)].map(([word, ...groups]) => {
    const { use } = words[groups.findIndex((group) => group !== undefined)] ?? {};
    return `"${word}": use ${use}`;
  });
}

if (import.meta.main)
  for (const finding of findWords(filesIn(...process.argv.slice(2))))
    process.stdout.write(`${finding}\n`);
