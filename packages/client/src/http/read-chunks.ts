import { abortable, type Deadline } from "./deadline.ts";

/** The body of an answer as it comes. The rest is let go when the reader stops. */
export async function* readChunks(
  response: Response,
  limit: Deadline,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const reader = response.body?.getReader();
  if (reader === undefined) {
    // No body, or a runtime without streams.
    yield new Uint8Array(await abortable(response.arrayBuffer(), limit.signal));
    return;
  }
  try {
    for (;;) {
      const { done, value } = await abortable(reader.read(), limit.signal);
      if (done) return;
      yield value;
    }
  } finally {
    // Frees the connection; does nothing at the end of the body.
    reader.cancel().catch(() => undefined);
  }
}
