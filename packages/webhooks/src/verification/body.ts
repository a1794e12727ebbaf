import { WebhookError } from "../webhook-error.ts";

/**
 * Body in memory: bytes of any type, or text. Text is encoded as UTF-8. It must have been decoded
 * from valid UTF-8, because decoding invalid UTF-8 loses bytes.
 */
export type RawBody = ArrayBuffer | ArrayBufferView | string;

/**
 * Request of Node, or of a framework on Node: `http.IncomingMessage`, the `req` of Express,
 * `ctx.req` of Koa, `request.raw` of Fastify.
 */
export interface NodeRequest extends AsyncIterable<unknown> {
  /** Headers of the request, as Node parses them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Fields of a fetch `Request` that a receiver uses. Azure Functions and some others have another class with them. */
export interface FetchRequest {
  readonly method: string;
  readonly headers: Headers | Iterable<readonly [string, string]>;
  readonly body: unknown;
  readonly bodyUsed: boolean;
  /** Reads an empty body, and any body in a runtime without `body`. */
  arrayBuffer(): Promise<ArrayBuffer>;
}

interface RequestFields {
  readonly bodyUsed?: unknown;
  readonly body?: unknown;
  readonly rawBody?: unknown;
  readonly readableDidRead?: unknown;
}

interface Source {
  next(): unknown;
}

/**
 * Reads the bytes of a body. They are a copy, so that a later change of the buffer does not change
 * the bytes to parse. Chunks are joined as they arrive, because a sender may send single bytes and
 * a list of them would take hundreds of bytes each.
 *
 * Reading stops at the limit. The caller decides about the connection.
 */
export async function readBody(
  body: unknown,
  maxBodyBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  let joined = new Uint8Array();
  let length = 0;
  try {
    const source = await open(body);
    while (length <= maxBodyBytes) {
      // Another result than that of an iterator is rejected below.
      const { done, value } = (await source.next()) as IteratorResult<unknown>;
      if (done) break;
      // Text has no view, so its length throws.
      const chunk = viewOf(value) as Uint8Array;
      const offset = length;
      length += chunk.length;
      // Stryker disable next-line ConditionalExpression,EqualityOperator: growing earlier keeps the same bytes.
      if (length > joined.length) {
        const shorter = joined;
        // Most bodies have one chunk. For more, the buffer doubles.
        joined = new Uint8Array(length + joined.length);
        joined.set(shorter);
      }
      joined.set(chunk, offset);
    }
  } catch (cause) {
    const fix = hasField(body, "bodyUsed")
      ? "Verify the Request before other code reads it, or a clone that was made before."
      : 'Express: express.raw({ type: "*/*" }) before express.json(). Fastify: parseAs: "buffer". Koa: ctx.req. Next.js, Hono: Request.';
    const problem = "The body is not bytes: it was parsed, read before or incomplete.";
    throw new WebhookError("raw_body_required", `${problem} ${fix}`, { cause });
  }
  checkLength(length, maxBodyBytes);
  return joined.subarray(0, length);
}

/** Rejects every body if the limit is not a number. */
export function checkLength(length: number, maxBodyBytes: number): void {
  if (length <= maxBodyBytes) return;
  throw new WebhookError(
    "body_too_large",
    `The body is longer than maxBodyBytes, ${maxBodyBytes}. Reject it, or raise the limit.`,
  );
}

/**
 * Returns the bytes in memory: the body itself, or the field of a framework on its request.
 * `rawBody` is read on a stream only, because the sender decides the fields of parsed JSON.
 */
export function bufferedBytes(body: unknown): Uint8Array | undefined {
  // `undefined` and `null` throw at the first field.
  const request = body as RequestFields;
  return (
    bytesOf(body) ??
    bytesOf(Symbol.asyncIterator in request && request.rawBody) ??
    viewOf(request.body)
  );
}

async function open(body: unknown): Promise<Source> {
  const request = body as RequestFields;
  const bytes = bufferedBytes(body);
  if (bytes !== undefined) return [bytes].values();
  if (wasRead(body)) throw new TypeError("The body was read before.");
  if (request.bodyUsed === undefined) {
    // Throws if the body is not a Node request.
    return (body as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  }
  // An empty body has no stream. Older versions of Firefox have none at all.
  if (!request.body) return [await (body as Request).arrayBuffer()].values();
  // Throws if the body is not a stream, or is read elsewhere.
  const reader = (request.body as ReadableStream<unknown>).getReader();
  return { next: () => reader.read() };
}

/** Returns true for an object with a field. Any value can be passed as a body, also a proxy that throws. */
export function hasField(value: unknown, name: string): boolean {
  // Stryker disable BlockStatement: undefined is as good as false.
  try {
    return name in Object(value);
  } catch {
    return false;
  }
}
// Stryker restore BlockStatement

/** Returns true for a request whose stream was read, unless a framework has kept its bytes. */
export function wasRead(body: unknown): body is object {
  // Stryker disable BlockStatement,BooleanLiteral: only an app that does not wait loses its call stack later.
  try {
    const { bodyUsed, readableDidRead } = Object(body) as RequestFields;
    return Boolean(bodyUsed || readableDidRead) && bufferedBytes(body) === undefined;
  } catch {
    // The Request of Elysia in Node, once its body was parsed.
    return true;
  }
}
// Stryker restore BlockStatement,BooleanLiteral

export function bytesOf(value: unknown): Uint8Array | undefined {
  return typeof value === "string" ? new TextEncoder().encode(value) : viewOf(value);
}

function viewOf(value: unknown): Uint8Array | undefined {
  // Stryker disable next-line ConditionalExpression: an exception below takes longer than all the rest, for the same.
  if (Object(value).byteLength === undefined) return undefined;
  try {
    // A DataView accepts only a buffer, also one from another realm, for which `instanceof` fails.
    const view = ArrayBuffer.isView(value) ? value : new DataView(value as ArrayBuffer);
    return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  } catch {
    // The value has no buffer.
  }
  return undefined;
}
