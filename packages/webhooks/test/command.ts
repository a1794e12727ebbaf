import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { onTestFinished } from "vitest";
import { listen } from "@tryon/test-kit/listen";

import { run } from "../src/cli/run.ts";

/** Runs the command in this process, over real HTTP where it sends. */
export async function command(
  argv: readonly string[],
  around: {
    readonly stdin?: Uint8Array | string;
    readonly secret?: string | undefined;
    readonly terminal?: boolean;
    readonly environment?: Readonly<Record<string, string>>;
  } = {},
) {
  const texts = { stdout: "", stderr: "" };
  const code = await run(argv, {
    stdin: chunksOf(Buffer.from(around.stdin ?? "")),
    stdout: { isTTY: around.terminal, write: (text) => (texts.stdout += text) },
    stderr: { write: (text) => (texts.stderr += text) },
    environment: { TRYON_WEBHOOK_SECRET: around.secret, ...around.environment },
    fetch,
    elapsed: () => 0,
  });
  return { code, ...texts };
}

/** Cuts bytes into two chunks. */
async function* chunksOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  const middle = Math.floor(bytes.length / 2);
  yield bytes.subarray(0, middle);
  yield bytes.subarray(middle);
}

/** Writes a file, and removes it after the test. */
export function fileOf(content: string | Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), "tryon-webhooks-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "file");
  writeFileSync(path, content);
  return path;
}

export interface Arrived {
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

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
  return { url: `${await listen(server)}/hook`, arrived };
}
