import { JsonScan } from "./json-scan.ts";
import { refuse } from "./refusal.ts";

/** Reads a body as text, and stops at the first byte that is too much: the response then says which limit it exceeds. */
export async function readBody(request: Request, maxBody: number): Promise<string | Response> {
  // A length that is too large is enough; a small one can be wrong.
  if (Number(request.headers.get("content-length")) > maxBody) return refuseSize(maxBody);
  const scan = new JsonScan();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const pieces: string[] = [];
  let left = maxBody;
  try {
    for await (const bytes of chunksOf(request)) {
      left -= bytes.length;
      if (left < 0) return refuseSize(maxBody);
      const limit = scan.read(bytes);
      if (limit !== undefined) return refuse(400, `The body has ${limit}, the proxy's limit.`);
      pieces.push(decoder.decode(bytes, { stream: true }));
    }
    return pieces.join("") + decoder.decode();
  } catch {
    return refuse(400, "The body broke off or is not UTF-8.");
  }
}

function refuseSize(maxBody: number): Response {
  return refuse(
    413,
    `The body is larger than the ${maxBody} bytes that the proxy takes (see its option maxBody). Images grow by a third on the way, as base64.`,
  );
}

async function* chunksOf(request: Request): AsyncGenerator<Uint8Array, void> {
  const reader = request.body?.getReader();
  // A request without a body, or a runtime that has no streams.
  if (reader === undefined) {
    yield new Uint8Array(await request.arrayBuffer());
    return;
  }
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // Releases the rest; does nothing at the end.
    reader.cancel().catch(() => undefined);
  }
}
