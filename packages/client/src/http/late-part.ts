import { ConnectionError } from "../errors/connection-error.ts";

/** The error for a part of this package that did not come: a page may have lost its network, or its files. */
export function notLoaded(
  code: "timed_out" | "connection_failed",
  cause: unknown,
): ConnectionError {
  return new ConnectionError(code, "A part of @tryon/client was not loaded.", {
    hint: "Nothing was sent: load the page anew.",
    cause,
  });
}

/** A part of this package that is loaded when it is first asked for, and asked for again when that failed. */
export function latePart<Part>(load: () => Promise<Part>): () => Promise<Part> {
  let part: Promise<Part> | undefined;
  return () =>
    (part ??= load().catch((cause: unknown) => {
      part = undefined;
      throw notLoaded("connection_failed", cause);
    }));
}
