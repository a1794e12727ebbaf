import { createWriteStream, type WriteStream } from "node:fs";

import { boolean, func, number, readOptions, string, type Rule } from "@tryon/shared/options";
import { appendPrivateFile } from "@tryon/shared/private-file";

import type { Exchange } from "./exchange.ts";
import { ExchangeRecorder } from "./exchange-recorder.ts";
import { Masker, type MaskOptions } from "./mask.ts";

/** Options of {@link recorder}. */
export interface RecorderOptions extends MaskOptions {
  /** Session file. Exchanges are added to an earlier one. Only its owner can read it, and a link is an error. */
  readonly file: string;
  /**
   * Share of calls that are recorded, from 0 to 1.
   * @default 0.01
   */
  readonly sample?: number;
  /** Reports the first error of the recorder, such as a full disk. Recording ends then, and calls go on. */
  readonly onError?: (error: unknown) => void;
}

/** Middleware of `@tryon/client` that records. */
export interface Recorder {
  (request: Request, next: (request: Request) => Promise<Response>): Promise<Response>;
  /** Waits until everything so far is written. */
  flush(): Promise<void>;
}

const rules = {
  file: { ...string(), isRequired: true },
  sample: { ...number(0, 1), fallback: 0.01 },
  onError: func<(error: unknown) => void>(),
  keepText: boolean(),
  keepIds: boolean(),
} satisfies Record<keyof RecorderOptions, Rule>;

const maxWaiting = 8 * 2 ** 20;

/**
 * Records a sample of the calls of a client in a session file, as `tryon-contract record` does. Bodies are copied while
 * they are sent, and read later, so a call never waits for the recorder. An error of the recorder never fails a call.
 *
 * @param options - File, share of recorded calls (default: 0.01), and whether texts are kept (default: no).
 * @throws TypeError for an unknown or invalid option.
 * @example
 * const tryon = new TryOn({ middleware: [recorder({ file: "session.ndjson", sample: 0.05 })] });
 */
export function recorder(options: RecorderOptions): Recorder {
  const { file, sample, onError, ...mask } = readOptions("an option of recorder", options, rules);
  const masker = new Masker(mask);
  const pending = new Set<Promise<void>>();
  let stream: WriteStream | undefined;
  let hasFailed = false;

  const fail = (error: unknown): void => {
    if (!hasFailed) onError?.(error);
    hasFailed = true;
  };
  const write = async (exchange: Exchange): Promise<void> => {
    const line = `${JSON.stringify(exchange)}\n`;
    const output = (stream ??= createWriteStream(file, { fd: appendPrivateFile(file) }));
    if (output.listenerCount("error") === 0) output.on("error", fail);
    if (output.writableLength > maxWaiting) throw new Error(`${file} is written too slowly.`);
    await new Promise<void>((resolve) => void output.write(line, () => resolve()));
  };
  const inBackground = (work: Promise<void>): void => {
    const done = work.catch(fail).finally(() => pending.delete(done));
    pending.add(done);
  };

  const middleware = async (
    request: Request,
    next: (request: Request) => Promise<Response>,
  ): Promise<Response> => {
    if (hasFailed || Math.random() >= sample) return next(request);
    const exchange = startExchange(request, masker);
    const sent = read(copyOf(request), (chunk) => exchange.send(chunk));
    const response = await next(request).catch((error: unknown) => {
      inBackground(sent.then(() => write(exchange.end(nameOf(error)))));
      throw error;
    });
    exchange.respond(response.status, response.headers);
    const received = read(copyOf(response), (chunk) => exchange.receive(chunk));
    inBackground(Promise.all([sent, received]).then(() => write(exchange.end())));
    return response;
  };
  return Object.assign(middleware, {
    flush: async () => {
      while (pending.size > 0) await Promise.all(pending);
    },
  });
}

function startExchange({ method, headers, url }: Request, masker: Masker): ExchangeRecorder {
  const { pathname, search } = new URL(url);
  // Without the path of the base URL.
  const path = `${pathname.replace(/^.*?(?=\/api\/)/, "")}${search}`;
  return new ExchangeRecorder(masker, { method, path, headers, key: undefined });
}

/** Copies a JSON body. Images of results are not copied, nor is a body that the caller has read. */
function copyOf(message: Request | Response): ReadableStream<Uint8Array> | null {
  const type = message.headers.get("content-type") ?? "";
  return /json/.test(type) && !message.bodyUsed ? message.clone().body : null;
}

/** Reads a body. The call gets the errors of the other copy. */
async function read(
  body: ReadableStream<Uint8Array> | null,
  add: (chunk: Uint8Array) => void,
): Promise<void> {
  try {
    for await (const chunk of body ?? []) add(chunk);
  } catch {
    // The exchange has what has arrived.
  }
}

function nameOf(error: unknown): string {
  // Errors of the system have a code.
  const { code, name = "failed" } = Object(error) as { code?: string; name?: string };
  return code ?? name;
}
