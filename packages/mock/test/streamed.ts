/** What a POST is sent with whose body is read while it is sent. */
export function streamed(
  body: ReadableStream<Uint8Array>,
  headers: Readonly<Record<string, string>>,
): RequestInit {
  // The types of the platform do not have `duplex` yet, without which it sends no stream.
  return { method: "POST", headers, body, duplex: "half" } as RequestInit;
}
