import { abortable, type Deadline } from "./deadline.ts";

/** Yields the body of a response in chunks. Cancels the rest if the reader stops. */
export async function* readChunks(
  response: Response,
  limit: Deadline,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const reader = response.body?.getReader();
  if (reader === undefined) {
    // The response has no body, or the runtime no streams.
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
    // Frees the connection. Has no effect at the end of the body.
    reader.cancel().catch(() => undefined);
  }
}
