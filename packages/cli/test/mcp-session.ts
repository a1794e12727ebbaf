import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";

import { Client as CurrentClient, type ClientOptions } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { Mock } from "@tryon/mock";
import { onTestFinished } from "vitest";

import { run } from "../src/run.ts";

export const input = {
  person: "https://shop.example/me.jpg",
  garments: ["https://shop.example/shirt.png"],
};
export const purchasePath = "POST /api/v1/credits/purchase";
export const submitPath = "POST /api/v1/tryon";

/** Returns the options of a server with a limit. */
export const limit = (credits: number): string[] => ["--max-credits", String(credits)];

/** Returns the credits of each charge of the live key. */
export async function chargesOf(mock: Mock): Promise<number[]> {
  const { entries = [] } = (await mock.ledger(mock.keys.live)) ?? {};
  return entries.flatMap(({ credits }) => (credits < 0 ? -credits : []));
}

/** Returns the credits of each purchase of a key that was paid. */
export async function purchasesOf(mock: Mock, key: string): Promise<number[]> {
  const { entries = [] } = (await mock.ledger(key)) ?? {};
  return entries.flatMap(({ cause, credits }) =>
    cause === "purchase" && credits > 0 ? credits : [],
  );
}

/** Returns the number of requests that submit a try-on. */
export function submissionsOf({ journal }: Mock): number {
  const requests = journal.entries().map(({ method, path }) => `${method} ${path}`);
  return requests.filter((request) => request === submitPath).length;
}

/** Result of a tool call: the JSON of its text, or the text of an error. */
export interface ToolResult {
  readonly value: Readonly<Record<string, unknown>>;
  readonly structured: unknown;
  readonly error: string | undefined;
  readonly images: ReadonlyArray<{ readonly mimeType: string; readonly data: string }>;
}

/** Calls a tool of an MCP client of either line. */
export async function callTool(
  client: Client | CurrentClient,
  name: string,
  fields: object = {},
  signal?: AbortSignal,
): Promise<ToolResult> {
  const call = { name, arguments: { ...fields } };
  const options = signal && { signal };
  const result =
    client instanceof Client
      ? await client.callTool(call, undefined, options)
      : await client.callTool(call, options);
  const content = result.content as ReadonlyArray<{
    type: string;
    text: string;
    mimeType: string;
    data: string;
  }>;
  const text = content.find(({ type }) => type === "text")?.text ?? "";
  const error = result.isError === true ? text : undefined;
  const images = content.filter(({ type }) => type === "image");
  const value = error === undefined ? JSON.parse(text) : {};
  return { value, structured: result.structuredContent, error, images };
}

/** Starts `tryon mcp` in this process, over streams and real HTTP, with the service of the environment. */
export function startMcp(
  argv: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const interrupt = new AbortController();
  const output = { stdout: "", stderr: "" };
  stdout.on("data", (chunk: Buffer) => (output.stdout += String(chunk)));
  const stderr = { write: (text: string) => (output.stderr += text) };
  const context = {
    stdin,
    stdout,
    stderr,
    environment: { ...process.env, ...environment },
    onInterrupt: () => interrupt.signal,
  };
  const ended = run(["mcp", ...argv], context);
  const client = new Client({ name: "test", version: "1" });
  /** Ends standard input, as a client does that closes the session, and returns the exit code. */
  const stop = async (): Promise<number> => {
    stdin.end();
    return ended;
  };
  onTestFinished(() => void stop());
  return {
    client,
    output,
    ended,
    stop,
    interrupt: () => interrupt.abort(),
    send: (text: string) => void stdin.write(text),
    connect: () => client.connect(new StdioServerTransport(stdout, stdin)),
    connectOlder: (older: Client) => older.connect(new StdioServerTransport(stdout, stdin)),
    /** Connects a client of the current line, which accepts only the revision 2026-07-28. */
    connectCurrent: async (options?: ClientOptions): Promise<CurrentClient> => {
      const mode = { pin: "2026-07-28" };
      const current = new CurrentClient(
        { name: "test", version: "2" },
        { versionNegotiation: { mode }, ...options },
      );
      await current.connect(new StdioServerTransport(stdout, stdin));
      return current;
    },
    call: (name: string, fields?: object, signal?: AbortSignal) =>
      callTool(client, name, fields, signal),
  };
}

/** Starts `tryon mcp` and connects to it. */
export async function openMcp(
  argv: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
) {
  const mcp = startMcp(argv, environment);
  await mcp.connect();
  return mcp;
}

/** Creates a folder, and removes it after the test. Its path has no links. */
export function createFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tryon-mcp-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
