import { mark } from "./marks.ts";

// Registered symbols: the CommonJS files of the package each have a copy of this module.
const resetMark = Symbol.for("@tryon/mock reset");
const earlyMark = Symbol.for("@tryon/mock early");

/**
 * Creates the error of a broken connection in the form of the platform's fetch. A transport that owns a connection
 * breaks it when it catches this error.
 */
export function connectionReset(message = "fetch failed"): TypeError {
  const cause = Object.assign(new Error("read ECONNRESET"), {
    code: "ECONNRESET",
    syscall: "read",
    [resetMark]: true,
  });
  return new TypeError(message, { cause });
}

/**
 * Creates the error of a connection that is closed after an early response, while the client still sends the body. The
 * client mostly loses the response.
 */
export function closedEarly(response: Response): TypeError {
  return Object.assign(connectionReset(), { [earlyMark]: response });
}

export function earlyResponse(error: TypeError): Response | undefined {
  // Only `closedEarly` sets a property of this name.
  return (error as { [earlyMark]?: Response })[earlyMark];
}

export function isConnectionReset(error: unknown): error is TypeError {
  return error instanceof TypeError && error.cause instanceof Error && resetMark in error.cause;
}

/** Returns a response that announces its full body and fails after `length` bytes; a shorter body stays whole. */
export async function truncate(response: Response, length: number): Promise<Response> {
  const { status } = response;
  if (response.body === null) return response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const headers = new Headers(response.headers);
  if (bytes.length <= length) return new Response(bytes, { status, headers });
  headers.set("content-length", String(bytes.length));
  const sent = bytes.slice(0, length);
  return mark(new Response(failingBody(sent), { status, headers }), { sent });
}

function failingBody(sent: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (sent.length > 0) controller.enqueue(sent);
      },
      pull(controller) {
        const cause = Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
        controller.error(new TypeError("terminated", { cause }));
      },
    },
    // Prevents reading ahead, or the error would replace the bytes.
    { highWaterMark: 0 },
  );
}
