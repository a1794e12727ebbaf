import {
  createProgram,
  examples,
  runCommands,
  type CommandEntry,
  type Output,
  type ProgramOptions,
} from "@tryon/cli-kit";

import { version } from "../version.ts";
import { exits } from "./exit-codes.ts";
import { addOptions, runOptions, type RunOptions } from "./run-options.ts";

export const commands: readonly CommandEntry[] = [
  {
    name: "record",
    description: "record the traffic of a command",
    examples: [
      "--upstream https://tryon.example -- npm test",
      "--output live.ndjson --allow-live --max-credits 100 -- npm test",
    ],
    define: async (...given) => (await import("./record-command.ts")).defineRecord(...given),
  },
  {
    name: "import",
    description: "make a session from a recording of another tool",
    examples: ["trace.har", "nock.json --base-url https://tryon.example --output session.ndjson"],
    define: async (...given) => (await import("./import-command.ts")).defineImport(...given),
  },
  {
    name: "observe",
    description: "report what recorded traffic shows",
    examples: ["session.ndjson", "*.ndjson --output observed.json"],
    define: async (...given) => (await import("./observe-command.ts")).defineObserve(...given),
  },
  {
    name: "replay",
    description: "send recorded requests again",
    details:
      "\nKeys come from TRYON_API_KEY, TRYON_LIVE_KEY, TRYON_OTHER_KEY and TRYON_DISABLED_KEY. A reference server needs the token of its control API instead, TRYON_MOCK_TOKEN.\n",
    examples: [
      "session.ndjson --against https://tryon.example",
      "*.ndjson --level paid --report html=drift.html",
    ],
    define: async (...given) => (await import("./replay-command.ts")).defineReplay(...given),
  },
];

export function runContractCommand(
  argv: readonly string[],
  context: Pick<ProgramOptions, "stdout" | "environment"> & { readonly stderr: Output },
  runChecks: (options: RunOptions) => Promise<number>,
): Promise<number> {
  const source = import.meta.url;
  const program = createProgram({ name: "contract", version, source, ...context }).description(
    "Checks that a deployment of the virtual try-on service keeps its contract.",
  );
  const codes = exits.map(([, code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`);
  const uses = [
    "--base-url https://tryon.example --api-key svc_test_…",
    "--level full --report html=contract.html",
  ] as const;
  return runCommands(program, commands, argv, (start) => {
    addOptions(program)
      .addHelpText(
        "after",
        `\nOther keys come from TRYON_LIVE_KEY, TRYON_OTHER_KEY (of another account), TRYON_DISABLED_KEY and TRYON_FLAGGED_KEY. A reference server creates keys for the token in TRYON_MOCK_TOKEN. Progress goes to standard error.\n\nExit codes:\n${codes.join("\n")}\n${examples("tryon-contract", uses)}`,
      )
      .action((options) => {
        const read = runOptions(options, context);
        start(() => runChecks(read));
      });
  });
}
