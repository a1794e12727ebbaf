import type { HttpResponse } from "../wire/response.ts";
import { LargeText } from "../wire/large-text.ts";
import type { RequestInput } from "../wire/send.ts";
import { BodyRecorder } from "./body-recorder.ts";
import type { Exchange, RecordedMessage } from "./exchange.ts";
import type { Masker } from "./mask.ts";

type Headers = Iterable<readonly [string, string]>;

interface StartedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  /** Value of `Authorization`, null without one, or undefined if it is not known. */
  readonly key: string | null | undefined;
  readonly origin?: string;
}

type Times = Pick<Exchange, "at" | "endedAfter"> &
  Pick<NonNullable<Exchange["response"]>, "headersAfter">;

export class ExchangeRecorder {
  readonly #masker: Masker;
  readonly #at = Date.now();
  readonly #start = performance.now();
  readonly #request: Pick<Exchange, "origin" | "method" | "path" | "key">;
  readonly #sent: MessageRecorder;
  #received: (MessageRecorder & { status: number; headersAfter: number }) | undefined;

  constructor(masker: Masker, { headers, key, origin, ...request }: StartedRequest) {
    this.#masker = masker;
    const alias = key === undefined ? "unknown" : masker.key(key);
    this.#request = {
      ...(origin !== undefined && { origin: masker.alias("origin", origin) }),
      method: request.method,
      path: masker.path(request.path),
      key: alias,
    };
    this.#sent = messageRecorder(masker, headers);
  }

  send(chunk: Uint8Array, times = 1): void {
    this.#sent.body.write(chunk, times);
  }

  respond(status: number, headers: Headers): void {
    const headersAfter = this.#elapsed();
    this.#received = { ...messageRecorder(this.#masker, headers), status, headersAfter };
  }

  receive(chunk: Uint8Array): void {
    this.#received?.body.write(chunk);
  }

  /** @param times - Times of the exchange, if it was not recorded while it happened. */
  end(error?: string, times: Partial<Times> = {}): Exchange {
    const received = this.#received;
    return {
      format: 1,
      at: times.at ?? this.#at,
      ...this.#request,
      request: this.#message(this.#sent, "request"),
      ...(received && {
        response: {
          status: received.status,
          headersAfter: times.headersAfter ?? received.headersAfter,
          ...this.#message(received, "response"),
        },
      }),
      endedAfter: times.endedAfter ?? this.#elapsed(),
      ...(error !== undefined && { error }),
    };
  }

  #message({ headers, body }: MessageRecorder, kind: "request" | "response"): RecordedMessage {
    const masked = this.#masker.body(body.end(), kind);
    return { headers, bytes: body.bytes, ...(masked !== undefined && { body: masked }) };
  }

  #elapsed(): number {
    return Math.round((performance.now() - this.#start) * 10) / 10;
  }
}

export interface TimedExchange {
  readonly request: RequestInput;
  readonly response: HttpResponse;
  readonly at: number;
  readonly until: number;
}

export function recordExchange(
  masker: Masker,
  origin: string,
  { request, response, at, until }: TimedExchange,
): Exchange {
  const { method, path, headers = {}, body } = request;
  const key = headers["authorization"] ?? null;
  const recorder = new ExchangeRecorder(masker, {
    method,
    path,
    headers: Object.entries(headers),
    key,
    origin,
  });
  if (body instanceof LargeText) for (const run of body.runs()) recorder.send(...run);
  else if (body !== undefined) recorder.send(Buffer.from(body));
  recorder.respond(response.status, response.headers);
  recorder.receive(response.bytes);
  return recorder.end(undefined, { at, headersAfter: until - at, endedAfter: until - at });
}

interface MessageRecorder {
  readonly headers: RecordedMessage["headers"];
  readonly body: BodyRecorder;
}

function messageRecorder(masker: Masker, headers: Headers): MessageRecorder {
  const [, type] = [...headers].find(([name]) => name.toLowerCase() === "content-type") ?? [];
  return { headers: masker.headers(headers), body: new BodyRecorder(type) };
}
