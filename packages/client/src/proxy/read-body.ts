/** A body as text; undefined when it is larger than the bound. Throws when it breaks off or is not UTF-8. */
export async function readBody(request: Request, maxBody: number): Promise<string | undefined> {
  // What it says of its length is believed only when that refuses it.
  if (Number(request.headers.get("content-length")) > maxBody) return undefined;
  const reader = request.body?.getReader();
  // A request without a body, or a runtime that has no streams.
  if (reader === undefined) {
    const text = await request.text();
    return new TextEncoder().encode(text).length > maxBody ? undefined : text;
  }
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const pieces: string[] = [];
  let left = maxBody;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return pieces.join("") + decoder.decode();
      left -= value.length;
      if (left < 0) return undefined;
      pieces.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    // Lets the rest go; does nothing at the end.
    reader.cancel().catch(() => undefined);
  }
}
