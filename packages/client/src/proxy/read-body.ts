import { errorResponse } from "./error-response.ts";
import { JsonScan } from "./json-scan.ts";

/** Reads a body as text; stops at the first byte over a limit, and then returns an error response. */
export async function readBody(request: Request, maxBody: number): Promise<string | Response> {
  // A small Content-Length can be wrong, so the bytes are counted as well.
  if (Number(request.headers.get("content-length")) > maxBody) return tooLarge(maxBody);
  const scan = new JsonScan();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const chunks: string[] = [];
  let left = maxBody;
  try {
    for await (const bytes of chunksOf(request)) {
      left -= bytes.length;
      if (left < 0) return tooLarge(maxBody);
      const limit = scan.read(bytes);
      if (limit !== undefined)
        return errorResponse(400, `The body has ${limit}, the proxy's limit.`);
      chunks.push(decoder.decode(bytes, { stream: true }));
    }
    return chunks.join("") + decoder.decode();
  } catch {
    return errorResponse(400, "The body is incomplete or not UTF-8.");
  }
}

function tooLarge(maxBody: number): Response {
  const detail = `The body is larger than ${maxBody} bytes. See the proxy's option maxBody. Base64 makes images a third larger.`;
  return errorResponse(413, detail);
}

async function* chunksOf(request: Request): AsyncGenerator<Uint8Array, void> {
  const reader = request.body?.getReader();
  // The request has no body, or the runtime has no streams.
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
    // Releases the rest of the body; does nothing at its end.
    reader.cancel().catch(() => undefined);
  }
}
