import type { HttpResponse } from "./message.ts";

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
export function closedEarly(response: HttpResponse): TypeError {
  return Object.assign(connectionReset(), { [earlyMark]: response });
}

export function earlyResponse(error: TypeError): HttpResponse | undefined {
  // Only `closedEarly` sets a property of this name.
  return (error as { [earlyMark]?: HttpResponse })[earlyMark];
}

export function isConnectionReset(error: unknown): error is TypeError {
  return error instanceof TypeError && error.cause instanceof Error && resetMark in error.cause;
}
