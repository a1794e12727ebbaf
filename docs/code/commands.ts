import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { node, root } from "@tryon/test-kit/repository";

import type { Block } from "./blocks.ts";

const run = promisify(execFile);

/** The commands of the packages, with the pages of help that name their options. */
const helpOf: Readonly<Record<string, readonly (readonly string[])[]>> = {
  mock: [["help", "serve"], ["help", "exec"], ["help"]],
  contract: [["--help"], ["record", "--help"], ["observe", "--help"], ["replay", "--help"]],
  webhooks: [["help", "verify"], ["help", "explain"], ["help", "sign"], ["help", "send"], ["help"]],
};

/** Options that a block gives to our commands, as `tryon-mock --port`. */
export function optionsIn(block: Block): readonly string[] {
  const lines = block.code.replaceAll("\\\n", " ").split("\n");
  return lines.flatMap((line) =>
    // A command ends where another begins, behind " -- " or a sign of the shell.
    [
      ...line.matchAll(
        /tryon-(mock|contract|webhooks)\b(?! *@)([^|;&#]*?)(?= -- | tryon-|[|;&#]|$)/g,
      ),
    ].flatMap(([, command = "", rest = ""]) =>
      [...rest.matchAll(/(?<=\s)--[a-z][a-z-]*/g)].map(([flag]) => `tryon-${command} ${flag}`),
    ),
  );
}

/** Every option that the help of a command names, as `tryon-mock --port`. */
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
