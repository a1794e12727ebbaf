import {
  createProgram,
  duration,
  examples,
  InvalidArgumentError,
  Option,
  port,
  repeated,
  runCommands,
  testKey,
  text,
  UsageError,
  webhookSecret,
  wholeNumber,
  withEnvFile,
  type Command,
  type CommandEntry,
  type Output,
  type ProgramOptions,
} from "@tryon/cli-kit";
import { withoutApiPath } from "@tryon/shared/key-url";

import { levels } from "../check.ts";
import { reportForms, type ReportForm } from "../report/index.ts";
import { version } from "../version.ts";
import { isBaseUrl } from "../wire/base-url.ts";

export const exits = [
  ["passed", 0, "the deployment passes every check that this run could make"],
  ["failed", 1, "a check failed"],
  ["usage", 2, "the command line is wrong, or a live key came without --allow-live"],
  ["unreachable", 3, "the deployment cannot be reached"],
  ["tls", 4, "TLS failed"],
  ["wrong-key", 5, "the key is rejected or missing"],
  ["other-service", 6, "the URL belongs to another service"],
  ["internal", 70, "tryon-contract failed, or could not write a report"],
  ["max-time", 124, "--max-time ended the run, no check failed; reports have the results so far"],
  ["interrupted", 130, "interrupted by Ctrl+C; the reports have the results so far"],
] as const;

export const exitCodes = Object.fromEntries(
  exits.map(([name, code]) => [name, code]),
  // The table has every name.
) as Readonly<Record<(typeof exits)[number][0], number>>;

/** Target and keys of the variables. An empty one counts as missing: CI sets it so for a missing secret. */
export function fromVariables(environment: ProgramOptions["environment"]) {
  const variable = (name: string): string | undefined => environment[`TRYON_${name}`] || undefined;
  return {
    baseUrl: variable("BASE_URL"),
    apiKey: variable("API_KEY"),
    keys: {
      live: variable("LIVE_KEY"),
      stranger: variable("OTHER_KEY"),
      disabled: variable("DISABLED_KEY"),
    },
    flagged: variable("FLAGGED_KEY"),
    controlToken: variable("MOCK_TOKEN"),
  };
}

export interface RequestedReport {
  readonly form: ReportForm;
  readonly file: string | undefined;
}

export const toStandardOutput: readonly RequestedReport[] = [{ form: "text", file: undefined }];

const forms = reportForms.join(", ");

export type RunOptions = ReturnType<typeof runOptions>;

const addOptions = (program: Command) =>
  program
    .optionsGroup("Target:")
    .option("--base-url <url>", "URL of the deployment (default: TRYON_BASE_URL)", text)
    .option(
      "--api-key <key>",
      "test key, not for a reference server (default: TRYON_API_KEY)",
      testKey,
    )
    .option("--allow-http", "allow keys over http to another machine, where others can read them")
    .option("--test-key <key>", "test key, if TRYON_API_KEY is a live key", testKey)
    .option("--env-file <file>", "file with variables; it wins over the environment", text)
    .optionsGroup("Checks:")
    .addOption(
      new Option(
        "--level <level>",
        "safe: free of charge with a test key; paid: also checks that need a live key; full: also slow checks, such as the 90 s limit, webhook retries and expiry",
      )
        .choices(levels)
        .default("safe" as const),
    )
    .option("--allow-live", "allow live keys, which cost money")
    .option(
      "--max-credits <number>",
      "maximum credits to take from live keys (default: 50, no limit for a local mock)",
      wholeNumber(0, 999_999_999),
    )
    .option("--only <prefix>", "prefix of check ids, such as idempotency; repeatable", repeated)
    .option("--bail", "end the run after the first failed check")
    .option(
      "--max-time <duration>",
      "end the run after this time, such as 10m",
      duration(2_147_483),
    )
    .option("--real-time", "wait in real time, even if a reference server can advance its clock")
    .optionsGroup("Webhooks (a deployment on this machine needs none of these):")
    .option("--webhook-url <url>", "public URL that leads to --webhook-port", webhookUrl)
    .option("--webhook-port <number>", "port to listen on (default: a free one)", port)
    .option("--secret-file <file>", "file with the secret (default: TRYON_WEBHOOK_SECRET)", text)
    .optionsGroup("Result:")
    .option("--report <form[=file]>", `${forms}; repeatable (default: text)`, reportsOf)
    .option("--profile <file>", "write what was observed, for tryon-mock --profile <file>", text)
    .option("--quiet", "print no progress, and only failures and the verdict");

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

function runOptions(
  options: ReturnType<ReturnType<typeof addOptions>["opts"]>,
  given: { readonly environment: ProgramOptions["environment"]; readonly stderr: Output },
) {
  const { testKey: test, report, envFile, secretFile, allowHttp, ...rest } = options;
  const environment = withEnvFile(given.environment, envFile, given.stderr);
  const { keys, flagged, ...variables } = fromVariables(environment);
  const { baseUrl = variables.baseUrl, apiKey = variables.apiKey } = options;
  if (baseUrl === undefined) {
    throw new UsageError(
      "The deployment is missing: use --base-url https://tryon.example, or set TRYON_BASE_URL.",
    );
  }
  return {
    ...variables,
    ...rest,
    allowInsecure: allowHttp,
    baseUrl,
    apiKey,
    keys: { ...keys, test, flagged },
    webhookSecret: webhookSecret(environment, secretFile),
    reports: report ?? toStandardOutput,
  };
}

function webhookUrl(value: string): string {
  if (URL.canParse(value) && /^https?:/.test(value)) return value;
  throw new InvalidArgumentError("It must be an http or https URL.");
}

/** @throws UsageError for the value of a flag that is not a base URL. */
export function rejectBaseUrl(flag: string, url: string): void {
  if (!isBaseUrl(url)) {
    throw new UsageError(`${flag} must be an http or https URL without query and user name.`);
  }
  const root = withoutApiPath(url);
  if (root !== undefined) {
    throw new UsageError(`${flag} ends in the path of the API. Use ${root}.`);
  }
}

export function reportsOf(
  value: string,
  previous: readonly RequestedReport[] = [],
): readonly RequestedReport[] {
  const [, word = value, file] = /^([^=]*)=(.*)$/s.exec(value) ?? [];
  const form = reportForms.find((candidate) => candidate === word);
  if (form === undefined) {
    throw new InvalidArgumentError(`Allowed forms are ${forms}.`);
  }
  if (file === "") throw new InvalidArgumentError(`Name a file, as in ${form}=report.out.`);
  if (previous.some((report) => report.file === file)) {
    throw new InvalidArgumentError(
      "Two reports have the same destination. Give each a file, such as --report junit=contract.xml.",
    );
  }
  return [...previous, { form, file }];
}
