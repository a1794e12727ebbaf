import {
  duration,
  InvalidArgumentError,
  Option,
  port,
  repeated,
  testKey,
  text,
  UsageError,
  webhookSecret,
  wholeNumber,
  withEnvFile,
  type Command,
  type Output,
  type ProgramOptions,
} from "@tryon/cli-kit";
import { withoutApiPath } from "@tryon/shared/key-url";

import { levels } from "../check.ts";
import { reportForms, type ReportForm } from "../report/index.ts";
import { isBaseUrl } from "../wire/base-url.ts";

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

export const addOptions = (program: Command) =>
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

export function runOptions(
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
