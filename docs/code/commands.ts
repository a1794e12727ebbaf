import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { node, root } from "@tryon/test-kit/repository";

import type { Block } from "./blocks.ts";

const run = promisify(execFile);

/** Arguments that print the help of the commands, by package. */
const helpOf: Readonly<Record<string, readonly (readonly string[])[]>> = {
  mock: [["help", "serve"], ["help", "exec"], ["help"]],
  contract: [["--help"], ["record", "--help"], ["observe", "--help"], ["replay", "--help"]],
  webhooks: [["help", "verify"], ["help", "explain"], ["help", "sign"], ["help", "send"], ["help"]],
};

/** Returns the options of our commands in a block, such as `tryon-mock --port`. */
export function optionsIn(block: Block): readonly string[] {
  const lines = block.code.replaceAll("\\\n", " ").split("\n");
  return lines.flatMap((line) =>
    // A command ends before another one, " -- " or an operator of the shell.
    [
      ...line.matchAll(
        /tryon-(mock|contract|webhooks)\b(?! *@)([^|;&#]*?)(?= -- | tryon-|[|;&#]|$)/g,
      ),
    ].flatMap(([, command = "", rest = ""]) =>
      [...rest.matchAll(/(?<=\s)--[a-z][a-z-]*/g)].map(([flag]) => `tryon-${command} ${flag}`),
    ),
  );
}

/** Returns all options in the help of the commands, such as `tryon-mock --port`. */
export async function knownOptions(): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  for (const [command, pages] of Object.entries(helpOf)) {
    const main = join(root, "packages", command, "src/cli/main.ts");
    for (const page of pages) {
      const { stdout } = await run(node, ["--conditions=@tryon/source", main, ...page]);
      for (const [flag] of stdout.matchAll(/--[a-z][a-z-]*/g))
        known.add(`tryon-${command} ${flag}`);
    }
    for (const flag of ["--help", "--version"]) known.add(`tryon-${command} ${flag}`);
  }
  return known;
}
