import { UsageError } from "./flags.ts";
import type { SavedDelivery } from "./delivery-input.ts";

/** Takes a request apart that was kept as it came over HTTP/1.1: request line, headers, blank line, body. */
export function readRawRequest(bytes: Uint8Array<ArrayBuffer>): SavedDelivery {
  // One character a byte, so that positions in the text are those of the bytes.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const end = /\r?\n\r?\n/.exec(text);
  const [requestLine = "", ...lines] = text.slice(0, end?.index).split(/\r?\n/);
  if (end === null || !/^[A-Z]+ \S+ HTTP\/\d(?:\.\d)?$/.test(requestLine)) {
    throw new UsageError(
      "--request is no HTTP request: a line such as POST /hook HTTP/1.1, headers, a blank line, the body.",
    );
  }
  const headers = lines.map((line) => headerOf(line, "--request"));
  const body = bytes.slice(end.index + end[0].length);
  return { headers, body: bodyOf(body, new Map(headers.map(lowerCase))) };
}

/** @throws UsageError, without the line: it may hold a signature. */
export function headerOf(line: string, flag: string): readonly [name: string, value: string] {
  const [, name, value] = /^([^\s:]+):(.*)$/.exec(line) ?? [];
  if (name !== undefined && value !== undefined) return [name, value.trim()];
  throw new UsageError(`${flag} has a header that is not of the form "Name: value".`);
}

function lowerCase([name, value]: readonly [string, string]): readonly [string, string] {
  return [name.toLowerCase(), value];
}

/** What follows the length that the request states is not its body, such as an editor's line break. */
function bodyOf(
  body: Uint8Array<ArrayBuffer>,
  headers: ReadonlyMap<string, string>,
): Uint8Array<ArrayBuffer> {
  if (headers.has("transfer-encoding")) {
    throw new UsageError("--request is in chunks; keep the body without them, and use --body.");
  }
  const stated = headers.get("content-length");
  if (stated === undefined || !/^\d+$/.test(stated)) return body;
  if (body.length >= Number(stated)) return body.slice(0, Number(stated));
  throw new UsageError(
    `--request has ${body.length} bytes of body, and its Content-Length says ${stated}: it is not all there.`,
  );
}
