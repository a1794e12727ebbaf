import { UsageError } from "@tryon/cli-kit";

import { ExchangeRecorder } from "../record/exchange-recorder.ts";
import type { Exchange, Marker, RecordedMessage } from "../record/exchange.ts";
import { Masker, type MaskOptions } from "../record/mask.ts";
import {
  headerOf,
  type Imported,
  type ImportedContent,
  type ImportedMessage,
  type Recording,
} from "./imported.ts";

export interface ImportOptions extends MaskOptions {
  /** Base URL of the service. Without it, the service is found by its paths. */
  readonly baseUrl?: string | undefined;
}

/** Session of a recording, and counts for a report. */
export interface ImportedSession {
  readonly exchanges: readonly Exchange[];
  /** Origin of the service, without a path that could be secret. */
  readonly origin: string;
  /** Counts of exchanges that are not part of the session, by reason. */
  readonly skipped: ReadonlyMap<string, number>;
  readonly unanswered: number;
  /** Exchanges without a body that the recording lacks. */
  readonly withoutBody: number;
  /** If true, the recording has the key of a request. */
  readonly hasKeys: boolean;
}

const methods = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE)$/;

const servicePath = /^(.*?)\/api\/v1\/(?:tryon|account|credits)(?:\/|$)/;

/**
 * Masks the exchanges of a recording with the service.
 *
 * @throws UsageError if the recording has no exchange with the service, several services, or an invalid body.
 */
export function importRecording(recording: Recording, options: ImportOptions): ImportedSession {
  const base = options.baseUrl === undefined ? findBase(recording) : new URL(options.baseUrl);
  const prefix = base.pathname.replace(/\/+$/, "");
  const skipped = new Map<string, number>();
  const reasonFor = ({ url, method, isLocal }: Imported): string | undefined => {
    if (url.origin !== base.origin) return "of other hosts";
    if (!url.pathname.startsWith(`${prefix}/api/`)) return "of other paths";
    if (!methods.test(method)) return "with another method, such as OPTIONS";
    return isLocal === true ? "answered by a cache, a service worker or a test" : undefined;
  };
  const own = recording.exchanges.flatMap((one) => {
    const reason = reasonFor(one);
    if (reason === undefined) return [{ ...one, ...one.read() }];
    skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
    return [];
  });
  const hasKeys = own.some(({ request }) => authorizationOf(request) !== undefined);
  const masker = new Masker(options);
  const exchanges = own
    // In the order of their ends, as the recorder writes them.
    .toSorted((one, other) => endOf(one) - endOf(other))
    .map((one) => record(masker, one, prefix, hasKeys));
  if (exchanges.length === 0) {
    throw new UsageError("the recording has no request below --base-url.");
  }
  return {
    exchanges,
    origin: base.origin,
    skipped,
    unanswered: exchanges.filter(({ response }) => response === undefined).length,
    withoutBody: exchanges.filter(({ error }) => error === noBody).length,
    hasKeys,
  };
}

const noBody = "body not recorded";

function findBase({ exchanges }: Recording): URL {
  const bases = new Set(
    exchanges.flatMap(({ url }) => {
      const prefix = servicePath.exec(url.pathname)?.[1];
      const isService = prefix !== undefined && /^https?:$/.test(url.protocol);
      return isService ? `${url.origin}${prefix}` : [];
    }),
  );
  const [base, ...others] = bases;
  if (base === undefined) {
    throw new UsageError(
      "the recording has no request to /api/v1/tryon, /api/v1/account or /api/v1/credits. Record the traffic of your server, or name the service with --base-url.",
    );
  }
  if (others.length === 0) return new URL(base);
  const origins = new Set([...bases].map((one) => new URL(one).origin));
  const some = [...origins].slice(0, 5).join(", ");
  throw new UsageError(
    `the recording has ${bases.size} deployments of the service (${some}). Choose one with --base-url.`,
  );
}

function authorizationOf({ headers }: ImportedMessage): string | undefined {
  return headerOf(headers, "authorization");
}

function endOf({ at, durations }: ImportedContent): number {
  return at + (durations?.endedAfter ?? 0);
}

function record(
  masker: Masker,
  one: Imported & ImportedContent,
  prefix: string,
  hasKeys: boolean,
): Exchange {
  const { request, response, url, durations } = one;
  const key = authorizationOf(request) ?? null;
  const recorder = new ExchangeRecorder(masker, {
    method: one.method,
    path: `${url.pathname.slice(prefix.length)}${url.search}`,
    headers: request.headers,
    // Some tools leave out every key.
    key: hasKeys ? key : undefined,
    origin: url.origin,
  });
  const [sent, received] = [request.body(), response?.body()];
  if (isPresent(sent)) recorder.send(sent);
  if (response) {
    recorder.respond(response.status, response.headers);
    if (isPresent(received)) recorder.receive(received);
  }
  const areBodiesPresent = isPresent(sent) && (response === undefined || isPresent(received));
  const times = { headersAfter: 0, endedAfter: 0, ...durations, at: one.at };
  const exchange = recorder.end(one.error ?? (areBodiesPresent ? undefined : noBody), times);
  const isUntimed = one.isOrderOnly === true || (response !== undefined && durations === undefined);
  // A key that was refused, or none.
  const isRefused = !hasKeys && response?.status === 401;
  return {
    ...exchange,
    ...(isRefused && { key: `${exchange.key}-401` }),
    ...(isUntimed && { isUntimed }),
    request: withMissing(exchange.request, sent),
    ...(exchange.response && { response: withMissing(exchange.response, received) }),
  };
}

type Body = ReturnType<ImportedMessage["body"]>;

function isPresent(body: Body | undefined): body is Uint8Array {
  return body instanceof Uint8Array;
}

/** Adds a marker for a body that the recording lacks. */
function withMissing<Message extends RecordedMessage>(
  message: Message,
  body: Body | undefined,
): Message {
  if (body === undefined || isPresent(body)) return message;
  const kind = /json/.test(message.headers["content-type"] ?? "") ? "json" : "other";
  const marker: Marker = { kind, bytes: body.missing };
  return { ...message, bytes: body.missing, body: marker };
}
