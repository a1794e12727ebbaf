import { bytesOf, viewOf } from "./raw-bytes.ts";
import { WebhookError } from "../webhook-error.ts";

/**
 * A request of Node or of a framework on it, as far as it is used here: `http.IncomingMessage`,
 * the `req` of Express, `ctx.req` of Koa, `request.raw` of Fastify.
 */
export interface NodeRequest extends AsyncIterable<unknown> {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** What is looked at in a request of either kind. */
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
 * Gives the bytes of a body, copied, so that what is verified is what is parsed, whatever becomes
 * of the buffer meanwhile. Chunks are joined as bytes: text is made of them after verification. They
 * are joined as they come, since a sender may cut a body into single bytes, and what holds one byte
 * takes hundreds.
 *
 * Reading just stops where the bound is passed, and nothing is closed: what becomes of the
 * connection is for whoever answers the request to say.
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
      // Either kind of iterator; where it gives something else, the chunk is refused below.
      const { done, value } = (await source.next()) as IteratorResult<unknown>;
      if (done) break;
      // Of text there is none, and it throws here.
      const chunk = viewOf(value) as Uint8Array;
      const offset = length;
      length += chunk.length;
      // Stryker disable next-line ConditionalExpression,EqualityOperator: growing earlier keeps the same bytes.
      if (length > joined.length) {
        const shorter = joined;
        // The first piece is mostly all there is; after that it doubles.
        joined = new Uint8Array(length + joined.length);
        joined.set(shorter);
      }
      joined.set(chunk, offset);
    }
  } catch (cause) {
    throw new WebhookError(
      "raw_body_required",
      'The body is not bytes: it was parsed, read before or broke off. Express: express.raw({ type: "*/*" }) ahead of express.json(). Fastify: parseAs: "buffer". Koa: ctx.req. Next.js, Hono: Request.',
      { cause },
    );
  }
  checkLength(length, maxBodyBytes);
  return joined.subarray(0, length);
}

/** Written so that a bound which is not a number lets nothing through. */
export function checkLength(length: number, maxBodyBytes: number): void {
  if (length <= maxBodyBytes) return;
  throw new WebhookError(
    "body_too_large",
    `The body is longer than maxBodyBytes, ${maxBodyBytes}. Refuse it, or raise the bound.`,
  );
}

/**
 * The bytes that are in memory already: the body itself, or what a framework kept on its request.
 * `rawBody` counts on a stream only: JSON that was parsed has any fields that its sender likes.
 */
export function bufferedBytes(body: unknown): Uint8Array | undefined {
  // Whatever has no fields throws at the first one.
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
  if (request.bodyUsed || request.readableDidRead) {
    throw new TypeError("It was read before.");
  }
  if (request.bodyUsed === undefined) {
    // Not a Node request: it throws, being no function.
    return (body as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  }
  // An empty body has no stream, and in Firefox none has.
  if (!request.body) return [await (body as Request).arrayBuffer()].values();
  // Not a stream: it throws, being no function, as it does where somebody else reads.
  const reader = (request.body as ReadableStream<unknown>).getReader();
  return { next: () => reader.read() };
}
