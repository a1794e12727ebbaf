import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { onTestFinished } from "vitest";

import { run } from "../src/cli/run.ts";

/** Result of a command. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in this process. It sends over real HTTP. */
export async function command(
  argv: readonly string[],
  around: { readonly stdin?: Uint8Array | string; readonly secret?: string | undefined } = {},
): Promise<Ended> {
  const texts = { stdout: "", stderr: "" };
  const code = await run(argv, {
    stdin: chunksOf(Buffer.from(around.stdin ?? "")),
    stdout: { write: (text) => (texts.stdout += text) },
    stderr: { write: (text) => (texts.stderr += text) },
    environment: { TRYON_WEBHOOK_SECRET: around.secret },
    fetch,
    elapsed: () => 0,
  });
  return { code, ...texts };
}

/** Yields the bytes in two chunks. */
async function* chunksOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  const middle = Math.floor(bytes.length / 2);
  yield bytes.subarray(0, middle);
  yield bytes.subarray(middle);
}

/** Writes a file and removes it at the end of the test. */
export function fileOf(content: string | Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), "tryon-webhooks-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "file");
  writeFileSync(path, content);
  return path;
}

/** Received request. */
export interface Arrived {
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** Starts a local receiver with a handler. */
export async function receiver(
  answer: (response: ServerResponse, arrived: Arrived) => unknown,
): Promise<{ url: string; arrived: readonly Arrived[] }> {
  const arrived: Arrived[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const one = { headers: request.headers, body: Buffer.concat(chunks) };
      arrived.push(one);
      void answer(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // Only a server on a pipe returns a string.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, arrived };
}
