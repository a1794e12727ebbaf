import { levels, type Level } from "../check.ts";
import { reportForms, type ReportForm } from "../report/index.ts";
import type { KeyName } from "../check-context.ts";
import { oneOf, readFlags, textOf, UsageError, wholeNumber } from "./flags.ts";

/** A report that was asked for; without a file it goes to standard output. */
export interface WantedReport {
  readonly form: ReportForm;
  readonly file: string | undefined;
}

/** A run that was asked for. */
export interface RunCommand {
  readonly kind: "run";
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly keys: Readonly<Partial<Record<KeyName, string>>>;
  readonly webhookSecret: string | undefined;
  readonly level: Level;
  readonly maxCredits: number | undefined;
  readonly allowLive: boolean;
  readonly only: readonly string[];
  readonly webhookUrl: string | undefined;
  readonly webhookPort: number | undefined;
  readonly realTime: boolean;
  readonly reports: readonly WantedReport[];
  readonly profile: string | undefined;
  readonly quiet: boolean;
}

/** What the command was asked to do. */
export type Command = RunCommand | { readonly kind: "help" } | { readonly kind: "version" };

type Environment = Readonly<Record<string, string | undefined>>;

const mostCredits = 999_999_999;

/** @throws UsageError */
export function readArguments(argv: readonly string[], environment: Environment): Command {
  const values = readFlags(argv);
  if (values.help === true) return { kind: "help" };
  if (values.version === true) return { kind: "version" };
  const baseUrl = textOf("base-url", values["base-url"]) ?? variable(environment, "TRYON_BASE_URL");
  if (baseUrl === undefined) {
    throw new UsageError(
      "Say which deployment: --base-url https://tryon.example, or TRYON_BASE_URL.",
    );
  }
  return {
    kind: "run",
    baseUrl,
    apiKey: textOf("api-key", values["api-key"]) ?? variable(environment, "TRYON_API_KEY"),
    keys: given({
      live: textOf("live-key", values["live-key"]),
      test: textOf("test-key", values["test-key"]),
      stranger: textOf("other-key", values["other-key"]),
      disabled: textOf("disabled-key", values["disabled-key"]),
      flagged: textOf("flagged-key", values["flagged-key"]),
    }),
    webhookSecret:
      textOf("webhook-secret", values["webhook-secret"]) ??
      variable(environment, "TRYON_WEBHOOK_SECRET"),
    level: oneOf("level", values.level, levels) ?? "safe",
    maxCredits: wholeNumber("max-credits", values["max-credits"], mostCredits),
    allowLive: values["allow-live"] === true,
    only: (values.only ?? []).map((start) => textOf("only", start) ?? ""),
    webhookUrl: readAddress(textOf("webhook-url", values["webhook-url"])),
    webhookPort: wholeNumber("webhook-port", values["webhook-port"], 65_535),
    realTime: values["real-time"] === true,
    reports: readReports(values.report ?? [], textOf("output", values.output)),
    profile: textOf("profile", values.profile),
    quiet: values.quiet === true,
  };
}

/** A variable that is empty counts as not set: that is what CI makes of a secret that is not there. */
function variable(environment: Environment, name: string): string | undefined {
  const value = environment[name];
  return value === "" ? undefined : value;
}

function given(keys: Readonly<Record<KeyName, string | undefined>>): RunCommand["keys"] {
  return Object.fromEntries(Object.entries(keys).filter(([, key]) => key !== undefined));
}

function readAddress(text: string | undefined): string | undefined {
  if (text === undefined || (URL.canParse(text) && /^https?:/.test(text))) return text;
  throw new UsageError(`--webhook-url has to be an http or https address; got "${text}".`);
}

/** @throws UsageError when two reports would go to one place. */
function readReports(
  texts: readonly string[],
  output: string | undefined,
): readonly WantedReport[] {
  const reports = (texts.length === 0 ? ["text"] : texts).map((text): WantedReport => {
    const [, word = text, file] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    const form = oneOf("report", word, reportForms) ?? "text";
    if (file === "") {
      throw new UsageError(`--report ${word}= names no file; write --report ${word}=${word}.out.`);
    }
    return { form, file };
  });
  const placed = output === undefined ? reports : withOutput(reports, output);
  const places = placed.map(({ file }) => file ?? "standard output");
  const twice = places.find((place, index) => places.indexOf(place) !== index);
  if (twice === undefined) return placed;
  throw new UsageError(
    `Two reports would go to ${twice}; give each a file, such as --report junit=contract.xml.`,
  );
}

function withOutput(reports: readonly WantedReport[], output: string): readonly WantedReport[] {
  const [first, ...others] = reports;
  if (first !== undefined && others.length === 0 && first.file === undefined) {
    return [{ ...first, file: output }];
  }
  throw new UsageError(
    "--output is for one --report without a file; with several write --report html=out.html --report junit=out.xml.",
  );
}
