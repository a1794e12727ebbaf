import { runCommand } from "@tryon/cli-kit";

import { Redactor } from "../wire/redactor.ts";
import { exitCodes } from "./exit-codes.ts";
import { commands, runContractCommand } from "./program.ts";
import type { CliContext } from "./run-command.ts";

export function run(argv: readonly string[], context: CliContext): Promise<number> {
  // A message can contain a key that the user typed in a wrong place.
  const redactor = new Redactor();
  const { isTTY, columns } = context.stderr;
  const write = (text: string) => context.stderr.write(redactor.redact(text));
  const stderr = { isTTY, columns, write };
  const work = (): Promise<number> =>
    runContractCommand(argv, context, async (options) =>
      // Loaded late, so that help is fast.
      (await import("./run-command.ts")).runChecks(options, context),
    );
  const used = commands.find(({ name }) => name === argv[0]);
  const name = used === undefined ? "tryon-contract" : `tryon-contract ${used.name}`;
  return runCommand(name, stderr, work, exitCodes.internal);
}
