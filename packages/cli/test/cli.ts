import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";

import { createMock, type MockOptions } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import sharp from "sharp";
import { expect, onTestFinished, vi } from "vitest";
import { listen } from "@tryon/test-kit/listen";

import { run } from "../src/run.ts";

/** Result of a command line. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Reference server, a folder with images, and the command in them. */
export async function openShop(options: MockOptions = {}) {
  const mock = createMock({ latency: 0, seed: "cli", ...options });
  const server = await serve(mock, { port: 0 });
  const folder = await mkdtemp(join(tmpdir(), "tryon-cli-"));
  // Jobs end at once by default, and no test should wait for seconds.
  vi.stubEnv("TRYON_POLL_INTERVAL", "100ms");
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const path = (name: string): string => join(folder, name);
  const create = { width: 600, height: 800, channels: 3, background: "#8ac" } as const;
  await writeFile(path("me.png"), await sharp({ create }).png().toBuffer());
  await writeFile(path("shirt.png"), await sharp({ create }).png().toBuffer());
  const environment = { TRYON_BASE_URL: server.url, TRYON_API_KEY: mock.keys.live };
  const tryon = (argv: readonly string[], given: Given = {}) =>
    runCli(argv, { ...given, environment: { ...environment, ...given.environment } });
  const charges = async (): Promise<number> =>
    (1_000 - ((await mock.ledger(mock.keys.live))?.balance ?? Number.NaN)) / 8;
  const input = ["--person", path("me.png"), "--garment", path("shirt.png")];
  const look = path("look.png");
  const argv = ["run", ...input, "-o", look];
  return { mock, server, path, environment, tryon, charges, input, look, argv };
}

/** Opens a shop with the file of a batch. */
export async function openBatch(
  content: string | Uint8Array,
  name = "items.csv",
  options?: MockOptions,
) {
  const shop = await openShop(options);
  const { path, tryon, mock } = shop;
  await writeFile(path(name), content);
  const runFile = (file: string, ...more: readonly string[]) =>
    tryon(["batch", path(file), "--out", path("looks"), ...more]);
  const batch = (...more: readonly string[]) => runFile(name, ...more);
  const submitted = () =>
    mock.journal.entries({ method: "POST" }).map(({ submission }) => submission?.fields);
  return { ...shop, run: runFile, batch, submitted };
}

/** Parses lines of JSON. */
export const linesOf = (text: string): object[] =>
  text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as object]));

interface Given {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** @default empty */
  readonly stdin?: Readable;
  /** Aborted by Ctrl+C. */
  readonly signal?: AbortSignal;
}

/** Expects that a command ends with this code, and this text on standard error. */
export async function expectEnd(
  running: Promise<{ readonly code: number | null; readonly stderr: string }>,
  code: number,
  text: string | RegExp,
): Promise<void> {
  const isText = typeof text === "string";
  const stderr = isText ? expect.stringContaining(text) : expect.stringMatching(text);
  expect(await running).toMatchObject({ code, stderr });
}

/** Runs a command line without a terminal. */
export async function runCli(argv: readonly string[], given: Given = {}): Promise<CommandResult> {
  const output = { stdout: "", stderr: "" };
  const stream = (name: "stdout" | "stderr") => ({
    write: (text: string) => void (output[name] += text),
  });
  const code = await run(argv, {
    stdin: given.stdin ?? Readable.from([]),
    stdout: stream("stdout"),
    stderr: stream("stderr"),
    environment: given.environment ?? {},
    onInterrupt: () => given.signal ?? new AbortController().signal,
  });
  return { code, ...output };
}

/** Receiver of webhooks that responds with these statuses, or redirects to a URL, and then responds with 204. */
export async function openReceiver(
  ...answers: ReadonlyArray<number | readonly [number, Record<string, string>]>
) {
  const bodies: string[] = [];
  const requests: Request[] = [];
  const { promise: full, resolve } = Promise.withResolvers<void>();
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      bodies.push(body);
      const headers = Object.entries(request.headersDistinct).map(
        ([name, values = []]) => [name, values.join(", ")] satisfies [string, string],
      );
      requests.push(new Request("http://localhost/hook", { method: "POST", headers, body }));
      const answer = answers[bodies.length - 1] ?? 204;
      // A number is the status of a receiver of this SDK, which marks its responses.
      const [status, given] =
        typeof answer === "number" ? [answer, { "x-tryon-receiver": "1" }] : answer;
      response.writeHead(status, given).end();
      if (bodies.length > answers.length) resolve();
    });
  });
  const target = `${new URL(await listen(receiver)).host}/hook`;
  // Resolves after the first response with 204.
  return { target, bodies, requests, full };
}
