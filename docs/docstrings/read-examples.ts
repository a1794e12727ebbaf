import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";

export interface DocstringExample {
  /** Location, such as `packages/client/src/client.ts:27`. */
  readonly place: string;
  readonly code: string;
}

const notShipped = /\.test\.ts$|\/(testing|generated|fuzz|end-to-end|runtimes)\//u;

/** Reads the `@example` parts of the docstrings of the published packages. */
export async function readExamples(
  root: string,
  packages: readonly string[],
): Promise<readonly DocstringExample[]> {
  const files: string[] = [];
  for await (const file of glob(`packages/{${packages.join(",")}}/src/**/*.ts`, { cwd: root })) {
    if (!notShipped.test(file)) files.push(file);
  }
  const examples = await Promise.all(
    files
      .toSorted()
      .map(async (file) => examplesOf(file, await readFile(join(root, file), "utf8"))),
  );
  return examples.flat();
}

function examplesOf(file: string, text: string): readonly DocstringExample[] {
  return [...text.matchAll(/\/\*\*[^]*?\*\//gu)].flatMap((docstring) => {
    const begin = text.slice(0, docstring.index).split("\n").length;
    const lines = docstring[0].split("\n").map((line) => line.replace(/^\s*\*(\/| ?)/u, ""));
    return lines.flatMap((line, index) => {
      if (!/^@example\s*$/u.test(line)) return [];
      const rest = lines.slice(index + 1);
      const end = rest.findIndex((each) => /^@[a-z]+\b(?!\/)/u.test(each));
      const code = withoutFence(rest.slice(0, end === -1 ? undefined : end).join("\n"));
      return [{ place: `${file}:${begin + index}`, code }];
    });
  });
}

function withoutFence(text: string): string {
  return /^\s*```ts\n([^]*?)\n```\s*$/u.exec(text)?.[1] ?? text;
}
