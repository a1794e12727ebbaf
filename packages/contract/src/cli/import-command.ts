import { realpath } from "node:fs/promises";
import { basename } from "node:path";

import { text, UsageError, type Command, type Start } from "@tryon/cli-kit";
import { writePrivateFile } from "@tryon/shared/private-file";

import { importRecording, type ImportedSession } from "../import/import-recording.ts";
import type { Recording } from "../import/imported.ts";
import { readRecording } from "../import/read-recording.ts";
import { exitCodes } from "./exit-codes.ts";
import { rejectBaseUrl } from "./run-options.ts";
import { rejectUnwritable } from "./run-command.ts";

const addOptions = (program: Command) =>
  program
    .argument("<file>", "HAR, also in a zip, or a recording of Polly, nock or newman")
    .option("--base-url <url>", "URL of the deployment, if the recording has several", text)
    .option("--output <file>", "session file, which is replaced", text, "session.ndjson")
    .option("--keep-text", "keep prompts and the values of metadata")
    .option("--keep-ids", "keep ids of jobs, which a replay of reads needs");

type ImportOptions = ReturnType<ReturnType<typeof addOptions>["opts"]>;

export function defineImport(command: Command, start: Start): void {
  addOptions(command)
    .description("Makes a session from a recording of another tool, without its secrets.")
    .action((file, given) => start(() => importFile(file, given)));
}

async function importFile(file: string, options: ImportOptions): Promise<number> {
  const { output, baseUrl } = options;
  if (baseUrl !== undefined) rejectBaseUrl("--base-url", baseUrl);
  await rejectUnwritable([output]);
  const recording = readRecording(file);
  const session = importRecording(recording, options);
  const [from, to] = await Promise.all(
    [file, output].map((path) => realpath(path).catch(() => "")),
  );
  if (from === to) throw new UsageError("--output is the recording. Name another file.");
  const lines = session.exchanges.map((exchange) => `${JSON.stringify(exchange)}\n`);
  await writePrivateFile(output, lines.join(""));
  process.stdout.write(summary(basename(file), output, recording, session));
  return exitCodes.passed;
}

function summary(
  file: string,
  output: string,
  { format, skipsUnanswered }: Recording,
  session: ImportedSession,
): string {
  const { exchanges, origin, skipped, unanswered, withoutBody, hasKeys } = session;
  const left = [...skipped].map(([reason, count]) => `${count} ${reason}`);
  const count = `${exchanges.length} ${exchanges.length === 1 ? "exchange" : "exchanges"}`;
  const lines = [
    `${count} with ${origin} in ${output}, from ${format}`,
    left.length > 0 && `Left out: ${left.join(", ")}`,
    unanswered > 0 && `${unanswered} without a response, which may have been charged`,
    withoutBody > 0 &&
      `${withoutBody} without a body, which observe and replay do not judge: record again with bodies`,
    !hasKeys &&
      "No request has a key, so all count as requests of one. DevTools exports keys with “Export HAR (with sensitive data)”, and nock records them with enable_reqheaders_recording: true.",
    exchanges.some(({ isUntimed }) => isUntimed) &&
      "Times are not recorded, so observe shows no value that depends on the age of a job.",
    skipsUnanswered !== undefined &&
      `${skipsUnanswered} leaves out requests without a response, which may have been charged.`,
    hasKeys && `${file} still has the keys. Delete it, or keep it private.`,
  ];
  return `${lines.filter((line) => line !== false).join("\n")}\n`;
}
