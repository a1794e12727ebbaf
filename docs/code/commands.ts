import type { Block } from "./blocks.ts";

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

/** Returns all options in the reference of the commands, such as `tryon-mock --port`. */
export function knownOptions(reference: string): ReadonlySet<string> {
  const options = reference.split(/^##+ (?=tryon)/m).flatMap((section) => {
    const [command = ""] = /^tryon-\w+/.exec(section) ?? [];
    const flags = section.match(/--[a-z][a-z-]*/g) ?? [];
    return [...flags, "--help", "--version"].map((flag) => `${command} ${flag}`);
  });
  return new Set(options);
}
