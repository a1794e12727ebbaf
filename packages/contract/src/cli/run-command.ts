import { runSuite, wholeSuite, type Suite } from "../contract.ts";
import { profileFile } from "../profile.ts";
import type { Report } from "../report.ts";
import { formatReport } from "../report/index.ts";
import { textReport } from "../report/text.ts";
import { OptionsError, TargetProblem } from "../target/problem.ts";
import { announce } from "./announce.ts";
import type { RunCommand, WantedReport } from "./arguments.ts";
import { exitCodes } from "./exit-codes.ts";
import { UsageError } from "./flags.ts";
import { rejectUnwritable, write } from "./outputs.ts";
import { progressView, silentView } from "./progress.ts";
import { paintFor, type Stream } from "./screen.ts";

/** What is around a command. */
export interface CliContext {
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Ends the run early. */
  readonly signal: AbortSignal;
  readonly fetch?: typeof globalThis.fetch;
  readonly suite?: Suite;
}

/**
 * Carries a run out.
 *
 * @returns the exit code.
 * @throws UsageError when it cannot be begun.
 */
export async function runCommand(command: RunCommand, around: CliContext): Promise<number> {
  const files = command.reports.map(({ file }) => file).filter((file) => file !== undefined);
  await rejectUnwritable(command.profile === undefined ? files : [...files, command.profile]);
  try {
    const report = await look(command, around);
    await hand(report, command, around);
    if (!report.complete) return exitCodes.interrupted;
    const broken = report.checks.some(({ status }) => status === "broken");
    return broken ? exitCodes.broken : exitCodes.kept;
  } catch (error) {
    if (error instanceof TargetProblem) {
      around.stderr.write(`tryon-contract: ${error.message}\n`);
      return exitCodes[error.kind];
    }
    // It was ended before there was anything to report.
    if (around.signal.aborted) return exitCodes.interrupted;
    throw error instanceof OptionsError ? new UsageError(error.message, { cause: error }) : error;
  }
}

async function look(command: RunCommand, around: CliContext): Promise<Report> {
  const { stderr, environment, signal, fetch, suite = wholeSuite } = around;
  const paint = paintFor(stderr, environment);
  const view = command.quiet ? silentView : progressView(stderr, paint);
  try {
    return await runSuite(suite, {
      ...command,
      signal,
      fetch,
      onPlan: (announcement) => {
        if (!command.quiet) stderr.write(announce(announcement, paint));
        view.plan(announcement);
      },
      onBegin: (id) => view.begin(id),
      onResult: (result) => view.result(result),
    });
  } finally {
    view.end();
  }
}

async function hand(report: Report, command: RunCommand, around: CliContext): Promise<void> {
  const { stdout, stderr } = around;
  for (const { form, file } of command.reports) {
    if (file !== undefined) await write(file, formatReport(report, form));
  }
  if (command.profile !== undefined) await write(command.profile, profileFile(report));
  const shown = command.reports.find(({ file }) => file === undefined);
  if (shown === undefined || shown.form === "text") {
    stdout.write(textFor(report, command, around));
  } else {
    stdout.write(formatReport(report, shown.form));
  }
  if (command.quiet) return;
  for (const line of written(command.reports, command.profile)) stderr.write(line);
}

/** Files alone would leave people at a terminal without a word, so the text stands there too. */
function textFor(
  report: Report,
  { quiet }: RunCommand,
  { stdout, environment }: CliContext,
): string {
  return textReport(report, { paint: paintFor(stdout, environment), brief: quiet });
}

function written(reports: readonly WantedReport[], profile: string | undefined): string[] {
  return [
    ...reports.flatMap(({ form, file }) => (file === undefined ? [] : [`${form}: ${file}\n`])),
    ...(profile === undefined ? [] : [`profile: ${profile}  (tryon-mock --profile ${profile})\n`]),
  ];
}
