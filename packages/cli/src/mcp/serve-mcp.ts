import { mkdir, realpath } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";

import {
  repeated,
  testKey,
  text,
  UsageError,
  wholeNumber,
  type Command,
} from "@tryon/command-line";

import packageJson from "../../package.json" with { type: "json" };
import { connect } from "../connect.ts";
import type { CliContext } from "../context.ts";
import { toFailure } from "../failure.ts";

const maxCredits = wholeNumber(0, 999_999_999);

export const addMcpOptions = <Arguments extends readonly unknown[]>(
  command: Command<[...Arguments]>,
) =>
  command
    .optionsGroup("Service:")
    .option("--base-url <url>", "URL of the service (default: TRYON_BASE_URL)", text)
    .option("--api-key <key>", "test key (default: TRYON_API_KEY)", testKey)
    .option("--env-file <file>", "file with these variables; it wins over the environment", text)
    .optionsGroup("Session:")
    .option("--max-credits <number>", "limit of the session; required with a live key", maxCredits)
    .option("--state <file>", "file of the session, which continues after a restart", text)
    .option("--allow-dir <folder>", "folder of images that may be sent; repeatable", repeated)
    .option("--out <folder>", "folder in which results are saved", text);

type McpOptions = ReturnType<ReturnType<typeof addMcpOptions>["opts"]>;

export async function serveMcp(options: McpOptions, context: CliContext): Promise<number> {
  const { tryon, apiKey, baseUrl, isLive } = await connect(options, context).catch((error) => {
    throw toFailure(error);
  });
  if (isLive && options.maxCredits === undefined) {
    throw new UsageError("--max-credits is missing. A live key needs a limit, such as 100.");
  }
  if (options.out !== undefined) await mkdir(options.out, { recursive: true }).catch(() => "");
  const [out] = await foldersOf("--out", options.out === undefined ? [] : [options.out]);
  const folders = await foldersOf("--allow-dir", options.allowDir ?? []);
  // Other commands do not load the protocol.
  const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");
  const { createMcpServer } = await import("./create-mcp-server.ts");
  const { openSession } = await import("./open-session.ts");
  const owner = JSON.stringify([new URL(baseUrl).href, apiKey]);
  const session = await openSession(options.state, owner, options.maxCredits ?? Infinity);
  const ending = new AbortController();
  const parts = { tryon, session, isLive, folders, out, signal: ending.signal };
  const { server, settle } = createMcpServer(parts, packageJson.version);
  try {
    // Standard streams and their replacements are streams of Node.
    const stdin = context.stdin as Readable;
    const stdout = context.stdout as unknown as Writable;
    const ended = finished(stdin, { writable: false, signal: context.onInterrupt() });
    await server.connect(new StdioServerTransport(stdin, stdout));
    // Also Ctrl+C.
    await ended.catch(() => undefined);
    ending.abort(new Error("The server has ended."));
    // Nothing may be written after the lock is released.
    await settle();
    await server.close();
  } finally {
    await session.close();
    tryon.close();
  }
  return 0;
}

async function foldersOf(option: string, paths: readonly string[]): Promise<string[]> {
  return Promise.all(paths.map((path) => realpath(path))).catch(() => {
    throw new UsageError(`the folder of ${option} does not exist or cannot be read.`);
  });
}
