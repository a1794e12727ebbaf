import {
  Option,
  printLine,
  text,
  UsageError,
  wholeNumber,
  withEnvFile,
  type Command,
  type Start,
} from "@tryon/cli-kit";
import { OptionsError } from "@tryon/shared/options";

import { givenKeys, rejectInvalid } from "../contract-options.ts";
import { readSessions, type Recorded } from "../observe/session-file.ts";
import type { ReportForm } from "../report/index.ts";
import { formatReplay } from "../replay/replay-report.ts";
import { replay, type ReplayResult } from "../replay/replay.ts";
import { TargetProblem } from "../target/preflight.ts";
import { exitCodes } from "./exit-codes.ts";
import { fromVariables, reportsOf, toStandardOutput } from "./run-options.ts";
import { formOf, rejectUnwritable, usageError, writeFiles } from "./run-command.ts";

const command = "tryon-contract replay";

const addOptions = (program: Command) =>
  program
    .argument("<session...>", "session files of tryon-contract record or import")
    .option("--against <url>", "URL of the deployment (default: TRYON_BASE_URL)", text)
    .option("--allow-http", "allow keys over http to another machine, where others can read them")
    .addOption(
      new Option(
        "--level <level>",
        "reads: only GET requests; paid: also submissions and purchases",
      )
        .choices(["reads", "paid"] as const)
        .default("reads" as const),
    )
    .option(
      "--allow-live",
      "allow live keys, which cost money; needs --max-credits with --level paid",
    )
    .option(
      "--max-credits <number>",
      "maximum cost of try-ons with live keys, in credits",
      wholeNumber(0, 999_999_999),
    )
    .option("--image-url <url>", "public image to send for each recorded URL of an image", text)
    .option("--env-file <file>", "file with variables; it wins over the environment", text)
    .option("--report <form[=file]>", "text, junit, json, html; repeatable", reportsOf);

type ReplayCommandOptions = ReturnType<ReturnType<typeof addOptions>["opts"]>;

export function defineReplay(program: Command, start: Start): void {
  addOptions(program)
    .description("Sends recorded requests to a deployment, and reports what it does otherwise.")
    .action((files, given) => start(() => replayFiles(files, given)));
}

async function replayFiles(
  files: readonly string[],
  options: ReplayCommandOptions,
): Promise<number> {
  const { stdout, stderr } = process;
  const environment = withEnvFile(process.env, options.envFile, stderr);
  const { baseUrl, apiKey, keys: known, controlToken } = fromVariables(environment);
  const { against = baseUrl, report: reports = toStandardOutput } = options;
  if (against === undefined) {
    throw new UsageError("the deployment is missing. Use --against, or set TRYON_BASE_URL.");
  }
  const isPaid = options.level === "paid";
  if (isPaid && options.allowLive === true && options.maxCredits === undefined) {
    throw new UsageError("--allow-live needs --max-credits, such as 100: live keys cost money.");
  }
  await rejectUnwritable(reports.flatMap(({ file }) => file ?? []));
  const session: Recorded[] = [];
  for await (const one of readSessions(files)) session.push(one);
  if (session.length === 0) throw new UsageError("the session has no exchange.");
  const target = { baseUrl: against, allowInsecure: options.allowHttp, apiKey, keys: known };
  let result: ReplayResult;
  try {
    rejectInvalid(target);
    const keys = givenKeys(target);
    result = await replay(session, { ...options, against, paid: isPaid, keys, controlToken });
  } catch (error) {
    if (error instanceof OptionsError) throw usageError(error, "--against");
    if (!(error instanceof TargetProblem)) throw error;
    printLine(stderr, `${command}: ${error.message}`);
    return exitCodes[error.kind];
  }
  const format = (form: ReportForm): string => formatReplay(result, form);
  await writeFiles(reports, format);
  stdout.write(format(formOf(reports)));
  return result.drift.length > 0 || result.compared === 0 ? exitCodes.failed : exitCodes.passed;
}
