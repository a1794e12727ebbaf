import { access, constants, stat, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";

import { hasColors, printLine, UsageError, type Output } from "@tryon/cli-kit";
import { OptionsError, sentenceOf } from "@tryon/shared/options";
import { wrap } from "@tryon/shared/wrap";

import { runSuite, wholeSuite } from "../contract.ts";
import type { Report } from "../report.ts";
import type { Suite } from "../run.ts";
import { formatReport, type ReportForm } from "../report/index.ts";
import { paintWith, textReport, type Paint } from "../report/text.ts";
import { TargetProblem } from "../target/preflight.ts";
import { exitCodes } from "./exit-codes.ts";
import type { RunOptions } from "./run-options.ts";
import { progressView } from "./progress.ts";

export interface CliContext {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Ends the run early. */
  readonly signal: AbortSignal;
  readonly fetch?: typeof globalThis.fetch;
  readonly suite?: Suite;
}

export async function runChecks(options: RunOptions, context: CliContext): Promise<number> {
  const { reports, profile } = options;
  const files = [...reports.map(({ file }) => file), profile];
  await rejectUnwritable(files.filter((file) => file !== undefined));
  try {
    const report = await createReport(options, context);
    await writeReports(report, options, context);
    return exitCodeOf(report);
  } catch (error) {
    if (error instanceof TargetProblem) {
      printLine(context.stderr, `tryon-contract: ${error.message}`);
      return exitCodes[error.kind];
    }
    if (context.signal.aborted) return exitCodes.interrupted;
    if (error instanceof DOMException && error.name === "TimeoutError") {
      printLine(context.stderr, `tryon-contract: ${error.message} No check has run.`);
      return exitCodes["max-time"];
    }
    if (error instanceof OptionsError) throw usageError(error);
    // The cause has the reason, such as that of a check that threw.
    if (!(error instanceof Error && error.cause instanceof Error)) throw error;
    throw new Error(`${error.message} ${error.cause.message}`, { cause: error });
  }
}

function exitCodeOf({ endedEarly, checks }: Report): number {
  if (endedEarly?.cause === "interrupted") return exitCodes.interrupted;
  if (checks.some(({ status }) => status === "failed")) return exitCodes.failed;
  return endedEarly === undefined ? exitCodes.passed : exitCodes["max-time"];
}

async function createReport(options: RunOptions, context: CliContext): Promise<Report> {
  const { stdout, stderr, signal, fetch, suite = wholeSuite } = context;
  const { reports, profile: _, quiet, ...rest } = options;
  // The text of the report has them, too, and both outputs are one terminal or one log.
  const areReported = formOf(reports) === "text" && !stdout.isTTY === !stderr.isTTY;
  const paint = paintFor(stderr, context);
  const view = quiet === true ? undefined : progressView(stderr, paint, !areReported);
  const { end, ...listeners } = view ?? {};
  try {
    return await runSuite(suite, { ...rest, signal, fetch, ...listeners });
  } finally {
    end?.();
  }
}

async function writeReports(
  report: Report,
  { reports, profile, quiet, only }: RunOptions,
  context: CliContext,
): Promise<void> {
  const { stdout, stderr } = context;
  const notes = await writeFiles(reports, (form) => formatReport(report, form));
  if (profile !== undefined) {
    await write(profile, `${JSON.stringify(report.profile, null, 2)}\n`);
    notes.push(`profile: ${profile}  (tryon-mock --profile ${profile})\n`);
  }
  const form = formOf(reports);
  const width = widthOf(stdout);
  const texts = { brief: quiet, all: only !== undefined, width };
  stdout.write(
    form === "text"
      ? wrap(textReport(report, paintFor(stdout, context), texts), width)
      : formatReport(report, form),
  );
  if (quiet !== true) stderr.write(notes.join(""));
}

/** Writes the reports that go to files, and returns a line for each. */
export async function writeFiles(
  reports: RunOptions["reports"],
  format: (form: ReportForm) => string,
): Promise<string[]> {
  const lines: string[] = [];
  for (const { form, file } of reports) {
    if (file === undefined) continue;
    await write(file, format(form));
    lines.push(`${form}: ${file}\n`);
  }
  return lines;
}

/** Returns the form for standard output. If all reports go to files, it gets the text. */
export function formOf(reports: RunOptions["reports"]): ReportForm {
  return reports.find(({ file }) => file === undefined)?.form ?? "text";
}

/** Columns of a terminal, or `Infinity` for a file or a pipe. */
function widthOf({ isTTY, columns }: Output): number {
  // Some terminals report a width of 0.
  return isTTY === true ? columns || 80 : Infinity;
}

function paintFor(stream: Output, { environment }: CliContext): Paint {
  return paintWith(hasColors(stream, environment));
}

const flags: Readonly<Record<string, string>> = {
  apiKey: "TRYON_API_KEY",
  "keys.live": "TRYON_LIVE_KEY",
  "keys.test": "--test-key",
  "keys.stranger": "TRYON_OTHER_KEY",
  "keys.disabled": "TRYON_DISABLED_KEY",
  "keys.flagged": "TRYON_FLAGGED_KEY",
};

export function usageError(error: OptionsError, baseUrl = "--base-url"): UsageError {
  const nameOf = (name: string): string =>
    ({ ...flags, baseUrl })[name] ??
    `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return new UsageError(sentenceOf(error, nameOf), { cause: error });
}

/** @throws UsageError for a file that cannot be written, before a run takes credits. */
export async function rejectUnwritable(files: readonly string[]): Promise<void> {
  for (const file of files) {
    const folder = dirname(resolve(file));
    await access(folder, constants.W_OK).catch(() => {
      throw new UsageError(
        `Cannot write ${file}: the folder ${folder} does not exist or is read-only.`,
      );
    });
    const there = await stat(file).catch(() => undefined);
    if (there?.isDirectory() === true) {
      throw new UsageError(`Cannot write ${file}: it is a folder. Name a file in it.`);
    }
  }
}

export async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new Error(`Cannot write ${file}.`, { cause: error });
  }
}
