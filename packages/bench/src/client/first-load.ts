import { gzipSync } from "node:zlib";

import type { Page } from "./bundle.ts";

/** The bytes of some code after minifying, as they are and packed by gzip at its best. */
export interface Weight {
  readonly plain: number;
  readonly packed: number;
}

/** The weight of what a page loads at first: its entry and all that this imports at once, each file packed by itself. */
export function firstLoad({ files, outputs }: Page): Weight {
  // What is imported lazily is an entry to esbuild too, under the name of its file.
  const wanted = Object.keys(outputs).filter((name) => outputs[name]?.entryPoint === "<stdin>");
  // Grows while it is gone through.
  for (const name of wanted) {
    for (const { kind, path, external } of outputs[name]?.imports ?? []) {
      if (kind === "import-statement" && !external && !wanted.includes(path)) wanted.push(path);
    }
  }
  let [plain, packed] = [0, 0];
  for (const name of wanted) {
    const contents = files.get(name);
    if (contents === undefined) throw new Error(`There is no ${name} among the files of the page.`);
    plain += contents.length;
    packed += gzipSync(contents, { level: 9 }).length;
  }
  return { plain, packed };
}
