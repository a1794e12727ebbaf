/** Symbols by name: the core and a face may come from two copies of this module. */
const resetMark = Symbol.for("@tryon/mock reset");
const truncatedMark = Symbol.for("@tryon/mock truncated");

/**
 * What a call fails with whose connection was broken, by a fault or because the server has gone, in the form in which the
 * platform's fetch says it. A face that owns a connection breaks it when it gets this.
 */
export function connectionReset(message = "fetch failed"): TypeError {
  const cause = Object.assign(new Error("read ECONNRESET"), {
    code: "ECONNRESET",
    syscall: "read",
    [resetMark]: true,
  });
  return new TypeError(message, { cause });
}

export function isConnectionReset(error: unknown): boolean {
  return error instanceof TypeError && error.cause instanceof Error && resetMark in error.cause;
}

/**
 * An answer whose body ends too early: its headers announce the whole length, and whoever reads it gets the first bytes
 * and then the error of a connection that has broken.
 */
class TruncatedResponse extends Response {
  readonly [truncatedMark]: Uint8Array;

  constructor(sent: Uint8Array, whole: { length: number; status: number; headers: Headers }) {
    const headers = new Headers(whole.headers);
    headers.set("content-length", String(whole.length));
    super(breakingOff(sent), { status: whole.status, headers });
    this[truncatedMark] = sent;
  }
}

/** The same answer with the first `length` bytes of its body; one that has no more comes whole. */
export async function truncate(response: Response, length: number): Promise<Response> {
  const { status, headers } = response;
  if (response.body === null) return response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length <= length) return new Response(bytes, { status, headers });
  return new TruncatedResponse(bytes.slice(0, length), { length: bytes.length, status, headers });
}

/** The bytes of a body that ends too early, or undefined for any other answer. */
export function truncatedBytes(response: Response): Uint8Array | undefined {
  // Only this module sets a property of this name.
  return (response as { [truncatedMark]?: Uint8Array })[truncatedMark];
}

function breakingOff(sent: Uint8Array): ReadableStream<Uint8Array> {
  let begun = sent.length === 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (begun) {
          const cause = Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
          controller.error(new TypeError("terminated", { cause }));
        } else {
          begun = true;
          controller.enqueue(sent);
        }
      },
    },
    // Nothing is prepared before it is read, or the error would come ahead of the bytes.
    { highWaterMark: 0 },
  );
}
