import { mkdir, realpath } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";

import { repeated, text, UsageError, wholeNumber, withEnvFile, type Command } from "@tryon/cli-kit";

import packageJson from "../../package.json" with { type: "json" };
import { maxUsd } from "../commands/buy-credits.ts";
import { readToken, tokenVariable } from "../buy-pack.ts";
import { addService, connect } from "../connect.ts";
import type { CliContext } from "../context.ts";

const maxCredits = wholeNumber(0, 999_999_999);

export const addMcpOptions = (command: Command) =>
  addService(command)
    .optionsGroup("Session:")
    .option("--max-credits <number>", "limit of the session; required with a live key", maxCredits)
    .option("--max-usd <number>", "lets the agent buy credits, up to these US dollars", maxUsd)
    .option("--state <file>", "file of the session, which continues after a restart", text)
    .option("--allow-dir <folder>", "folder of images that may be sent; repeatable", repeated)
    .option("--out <folder>", "folder in which results are saved", text);

type McpOptions = ReturnType<ReturnType<typeof addMcpOptions>["opts"]>;

export async function serveMcp(options: McpOptions, context: CliContext): Promise<number> {
  const connection = await connect(options, context);
  const { tryon, isLive } = connection;
  if (isLive && options.maxCredits === undefined) {
    throw new UsageError("--max-credits is missing. A live key needs a limit, such as 100.");
  }
  if (options.out !== undefined) await mkdir(options.out, { recursive: true }).catch(() => "");
  const [out] = await foldersOf("--out", options.out === undefined ? [] : [options.out]);
  const folders = await foldersOf("--allow-dir", options.allowDir ?? []);
  // Other commands do not load the protocol.
  const { StdioServerTransport, serveStdio } = await import("@modelcontextprotocol/server/stdio");
  const { prepareMcp } = await import("./create-mcp-server.ts");
  const { openSession, ownerOf } = await import("./open-session.ts");
  const owner = ownerOf(connection);
  const { maxCredits: credits = Infinity, maxUsd: usd = 0 } = options;
  const session = await openSession(options.state, owner, { maxCredits: credits, maxUsd: usd });
  const ending = new AbortController();
  const { signal } = ending;
  // Read for each purchase, because a token pays once. The names in the file were printed at the start.
  const silent = { write: () => undefined };
  const paymentToken = () =>
    readToken(withEnvFile(context.environment, options.envFile, silent)[tokenVariable]);
  const parts = { tryon, session, isLive, folders, out, signal, paymentToken, maxUsd: usd };
  const { createServer, settle } = prepareMcp(parts, packageJson.version);
  try {
    // Standard streams and their replacements are streams of Node.
    const stdin = context.stdin as Readable;
    const stdout = context.stdout as unknown as Writable;
    const ended = finished(stdin, { writable: false, signal: context.onInterrupt() });
    // Clients of the revision 2026-07-28 and of the older ones get a server of the same tools.
    const transport = new StdioServerTransport(stdin, stdout);
    const server = serveStdio(createServer, { transport });
    const { onclose } = transport;
    // It also closes if a message is too long, or standard output fails.
    const closed = new Promise<void>((resolve) => {
      Object.assign(transport, { onclose: () => resolve(onclose?.()) });
    });
    // Also Ctrl+C.
    await Promise.race([closed, ended.catch(() => undefined)]);
    ending.abort(new Error("The server has ended."));
    // Nothing may be written after the lock is released.
    await settle();
    await server.close();
  } finally {
    await session.close();
  }
  return 0;
}

async function foldersOf(option: string, paths: readonly string[]): Promise<string[]> {
  return Promise.all(paths.map((path) => realpath(path))).catch(() => {
    throw new UsageError(`the folder of ${option} does not exist or cannot be read.`);
  });
}
