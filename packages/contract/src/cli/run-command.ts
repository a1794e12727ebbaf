import { access, constants, stat, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";

import { hasColors, UsageError, type Output } from "@tryon/command-line";

import { runSuite, wholeSuite, type Suite } from "../contract.ts";
import { profileFile } from "../profile.ts";
import type { Report } from "../report.ts";
import { formatReport } from "../report/index.ts";
import { colors, noPaint, type Paint } from "../report/paint.ts";
import { textReport } from "../report/text.ts";
import { OptionsError, TargetProblem } from "../target/problem.ts";
import { announce } from "./announce.ts";
import { exitCodes } from "./exit-codes.ts";
import { progressView, silentView } from "./progress.ts";
import type { RunOptions } from "./program.ts";

/** Surroundings of the command. */
export interface CliContext {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Ends the run early. */
  readonly signal: AbortSignal;
  readonly fetch?: typeof globalThis.fetch;
  readonly suite?: Suite;
}

/**
 * Runs the checks, and writes the reports.
 *
 * @returns the exit code.
 * @throws UsageError if it cannot start.
 */
export async function runChecks(options: RunOptions, context: CliContext): Promise<number> {
  const { reports, profile } = options;
  const files = [...reports.map(({ file }) => file), profile];
  await rejectUnwritable(files.filter((file) => file !== undefined));
  try {
    const report = await createReport(options, context);
    await writeReports(report, options, context);
    if (!report.complete) return exitCodes.interrupted;
    const hasFailed = report.checks.some(({ status }) => status === "failed");
    return hasFailed ? exitCodes.failed : exitCodes.passed;
  } catch (error) {
    if (error instanceof TargetProblem) {
      context.stderr.write(`tryon-contract: ${error.message}\n`);
      return exitCodes[error.kind];
    }
    if (context.signal.aborted) return exitCodes.interrupted;
    if (error instanceof OptionsError) throw new UsageError(error.message, { cause: error });
    // The cause has the reason, such as that of a check that threw.
    if (!(error instanceof Error && error.cause instanceof Error)) throw error;
    throw new Error(`${error.message} ${error.cause.message}`, { cause: error });
  }
}

async function createReport(options: RunOptions, context: CliContext): Promise<Report> {
  const { stderr, signal, fetch, suite = wholeSuite } = context;
  const quiet = options.quiet === true;
  const paint = paintFor(stderr, context);
  const view = quiet ? silentView : progressView(stderr, paint);
  try {
    return await runSuite(suite, {
      ...options,
      signal,
      fetch,
      onPlan: (announcement) => {
        if (!quiet) stderr.write(announce(announcement, paint));
        view.plan(announcement);
      },
      onBegin: (id) => view.begin(id),
      onResult: (result) => view.result(result),
    });
  } finally {
    view.end();
  }
}

async function writeReports(
  report: Report,
  { reports, profile, quiet }: RunOptions,
  context: CliContext,
): Promise<void> {
  const { stdout, stderr } = context;
  for (const { form, file } of reports) {
    if (file !== undefined) await write(file, formatReport(report, form));
  }
  if (profile !== undefined) await write(profile, profileFile(report));
  const { form = "text" } = reports.find(({ file }) => file === undefined) ?? {};
  const paint = paintFor(stdout, context);
  // If all reports go to files, the terminal gets the text.
  stdout.write(
    form === "text"
      ? textReport(report, { paint, brief: quiet === true })
      : formatReport(report, form),
  );
  if (quiet === true) return;
  for (const { form: name, file } of reports) {
    if (file !== undefined) stderr.write(`${name}: ${file}\n`);
  }
  if (profile !== undefined) {
    stderr.write(`profile: ${profile}  (tryon-mock --profile ${profile})\n`);
  }
}

function paintFor(stream: Output, { environment }: CliContext): Paint {
  return hasColors(stream, environment) ? colors : noPaint;
}

/**
 * Checks that files can be written, before a run takes credits.
 *
 * @throws UsageError with the file.
 */
async function rejectUnwritable(files: readonly string[]): Promise<void> {
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

/** @throws Error with the file. */
async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new Error(`Cannot write ${file}.`, { cause: error });
  }
}
