import {
  createProgram,
  examples,
  InvalidArgumentError,
  Option,
  parse,
  port,
  repeated,
  text,
  UsageError,
  wholeNumber,
  type Command,
  type ProgramOptions,
} from "@tryon/command-line";

import { levels } from "../check.ts";
import { reportForms, type ReportForm } from "../report/index.ts";
import { version } from "../version.ts";
import { exitMeanings } from "./exit-codes.ts";
import type { KeyName } from "../target/keys.ts";

/** Report of a run. Without a file it goes to standard output. */
interface WantedReport {
  readonly form: ReportForm;
  readonly file: string | undefined;
}

const forms = reportForms.join(", ");

/** Options of a run. */
export type RunOptions = ReturnType<typeof runOptions>;

const addOptions = (program: Command) =>
  program
    .optionsGroup("Target:")
    .option("--base-url <url>", "URL of the deployment (default: TRYON_BASE_URL)", text)
    .option("--api-key <key>", "API key, not for a reference server (default: TRYON_API_KEY)", text)
    .option("--live-key <key>", "live key, if you have keys of both kinds", text)
    .option("--test-key <key>", "test key, if you have keys of both kinds", text)
    .option("--other-key <key>", "key of another account, which must not see these jobs", text)
    .option("--disabled-key <key>", "disabled key, which the deployment must reject", text)
    .option("--flagged-key <key>", "key flagged for fraud, which the deployment must reject", text)
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
    .option("--real-time", "wait in real time, even if a reference server can advance its clock")
    .optionsGroup("Webhooks (a deployment on this machine needs none of these):")
    .option("--webhook-url <url>", "public URL that leads to --webhook-port", webhookUrl)
    .option("--webhook-port <number>", "port to listen on (default: a free one)", port)
    .option("--webhook-secret <text>", "webhook secret (default: TRYON_WEBHOOK_SECRET)", text)
    .optionsGroup("Result:")
    .option("--report <form[=file]>", `${forms}; repeatable (default: text)`, reportsOf)
    .option("--output <file>", "file of a single --report (default: standard output)", text)
    .option("--profile <file>", "write what was observed, for tryon-mock --profile <file>", text)
    .option("--quiet", "print no progress, and only failures and the verdict");

/**
 * Reads a command line. Returns undefined after it printed help or the version.
 *
 * @throws UsageError
 */
export function readOptions(
  argv: readonly string[],
  context: Pick<ProgramOptions, "stdout" | "environment">,
): RunOptions | undefined {
  const read: { options?: RunOptions } = {};
  const source = import.meta.url;
  const codes = exitMeanings.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`);
  const program = addOptions(createProgram({ name: "contract", version, source, ...context }))
    .description("Checks that a deployment of the virtual try-on service keeps its contract.")
    .addHelpText(
      "after",
      `\nProgress goes to standard error.\n\nExit codes:\n${codes.join("\n")}\n${examples("tryon-contract", "--base-url https://tryon.example --api-key svc_test_…", "--level full --report html=contract.html")}`,
    )
    .action((options) => {
      read.options = runOptions(options, context.environment);
    });
  parse(program, argv);
  return read.options;
}

function runOptions(
  options: ReturnType<ReturnType<typeof addOptions>["opts"]>,
  environment: ProgramOptions["environment"],
) {
  const { liveKey, testKey, otherKey, disabledKey, flaggedKey, report, output, ...rest } = options;
  // An empty variable counts as missing: CI sets it so for a missing secret.
  const baseUrl = options.baseUrl ?? (environment["TRYON_BASE_URL"] || undefined);
  if (baseUrl === undefined) {
    throw new UsageError(
      "The deployment is missing: use --base-url https://tryon.example, or set TRYON_BASE_URL.",
    );
  }
  const keys: Readonly<Partial<Record<KeyName, string>>> = {
    ...(liveKey !== undefined && { live: liveKey }),
    ...(testKey !== undefined && { test: testKey }),
    ...(otherKey !== undefined && { stranger: otherKey }),
    ...(disabledKey !== undefined && { disabled: disabledKey }),
    ...(flaggedKey !== undefined && { flagged: flaggedKey }),
  };
  return {
    ...rest,
    baseUrl,
    apiKey: options.apiKey ?? (environment["TRYON_API_KEY"] || undefined),
    keys,
    webhookSecret: options.webhookSecret ?? (environment["TRYON_WEBHOOK_SECRET"] || undefined),
    reports: placeReports(report ?? [{ form: "text", file: undefined }], output),
  };
}

function webhookUrl(value: string): string {
  if (URL.canParse(value) && /^https?:/.test(value)) return value;
  throw new InvalidArgumentError("It must be an http or https URL.");
}

function reportsOf(value: string, previous: readonly WantedReport[] = []): readonly WantedReport[] {
  const [, word = value, file] = /^([^=]*)=(.*)$/s.exec(value) ?? [];
  const form = reportForms.find((candidate) => candidate === word);
  if (form === undefined) {
    throw new InvalidArgumentError(`Allowed forms are ${forms}.`);
  }
  if (file === "") throw new InvalidArgumentError(`Name a file, as in ${form}=report.out.`);
  return [...previous, { form, file }];
}

/** @throws UsageError if two reports have the same destination. */
function placeReports(
  reports: readonly WantedReport[],
  output: string | undefined,
): readonly WantedReport[] {
  const [first, ...others] = reports;
  if (output !== undefined) {
    if (first !== undefined && others.length === 0 && first.file === undefined) {
      return [{ ...first, file: output }];
    }
    throw new UsageError(
      "--output needs a single --report without a file. For several, use --report html=out.html --report junit=out.xml.",
    );
  }
  const files = reports.map(({ file }) => file);
  if (new Set(files).size === files.length) return reports;
  throw new UsageError(
    "Two reports have the same destination. Give each a file, such as --report junit=contract.xml.",
  );
}
