import { port, text, UsageError, wholeNumber, type Command, type Start } from "@tryon/cli-kit";
import { mayReceiveKeys } from "@tryon/shared/key-url";
import { runBesideServer } from "@tryon/cli-kit/run-program";

import { startRecordingProxy, type RecordingProxy } from "../record/recording-proxy.ts";
import { exitCodes } from "./exit-codes.ts";
import { rejectBaseUrl } from "./run-options.ts";

const command = "tryon-contract record";

const addOptions = (program: Command) =>
  program
    .argument("[command...]")
    .option("--upstream <url>", "URL of the deployment (default: TRYON_BASE_URL)", text)
    .option("--allow-http", "allow http to another machine, where others can read keys")
    .option("--output <file>", "session file, which is replaced", text, "session.ndjson")
    .option("--port <number>", "port on 127.0.0.1; 0 for a free one", port, 0)
    .option("--keep-text", "record prompts and the values of metadata")
    .option("--keep-ids", "record ids of jobs, which a replay of reads needs")
    .option("--allow-live", "allow live keys, which cost money; needs --max-credits")
    .option(
      "--max-credits <number>",
      "maximum cost of try-ons with live keys, in credits",
      wholeNumber(0, 999_999_999),
    );

type RecordOptions = ReturnType<ReturnType<typeof addOptions>["opts"]>;

export function defineRecord(program: Command, start: Start): void {
  addOptions(program)
    .description(
      "Records requests to a deployment in a session file, without secrets. Runs the command after --\nwith TRYON_BASE_URL set to the recorder.",
    )
    .action((words, given) => start(() => recordBeside(words, given)));
}

async function recordBeside(words: readonly string[], options: RecordOptions): Promise<number> {
  const { stderr, env } = process;
  const upstream = options.upstream ?? env["TRYON_BASE_URL"];
  if (!upstream) {
    throw new UsageError("the deployment is missing. Use --upstream, or set TRYON_BASE_URL.");
  }
  rejectBaseUrl("--upstream", upstream);
  if (options.allowHttp !== true && !mayReceiveKeys(new URL(upstream))) {
    throw new UsageError(
      "--upstream is http: others could read keys and photos. Use https, or --allow-http.",
    );
  }
  if (options.allowLive === true && options.maxCredits === undefined) {
    throw new UsageError("--allow-live needs --max-credits, such as 100: live keys cost money.");
  }
  const { output } = options;
  const proxy = await startRecordingProxy({ ...options, upstream }).catch((error: unknown) => {
    const { code } = Object(error) as { code?: unknown };
    if (code === "EADDRINUSE") throw new UsageError(`port ${options.port} is in use.`);
    if (code === "ELOOP")
      throw new UsageError(`${output} is a link or a special file. Use another.`);
    throw new UsageError(`${output} cannot be written (${String(code)}). Check its folder.`);
  });
  const start = (): Promise<{ environment: Record<string, string>; stop: () => Promise<void> }> =>
    Promise.resolve({ environment: { TRYON_BASE_URL: proxy.url }, stop: () => proxy.stop() });
  let code: number = exitCodes.passed;
  if (words.length > 0) code = await runBesideServer(command, words, start);
  else {
    stderr.write(`Recording ${new URL(upstream).host} at ${proxy.url}. Stop with Ctrl+C.\n`);
    await interrupted();
    await proxy.stop();
  }
  return report(proxy, output, code);
}

function report({ recorded, refused }: RecordingProxy, output: string, code: number): number {
  const { stderr } = process;
  stderr.write(`${command}: ${recorded} exchanges in ${output}\n`);
  if (refused > 0) {
    stderr.write(
      `${refused} requests were refused, because of their live key, --max-credits, path, host or origin.\n`,
    );
  }
  if (recorded > 0 || code !== 0) return code;
  stderr.write("Nothing was recorded. Does the command use TRYON_BASE_URL?\n");
  return exitCodes.failed;
}

function interrupted(): Promise<unknown> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, resolve);
  });
}
