import { UsageError } from "@tryon/command-line";

/** Headers in their order. */
export type Pairs = ReadonlyArray<readonly [name: string, value: string]>;

/** Delivery in a file. */
export interface SavedDelivery {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Pairs;
}

/** Parses an HTTP/1.1 request: request line, headers, blank line, body. */
export function readRawRequest(bytes: Uint8Array<ArrayBuffer>): SavedDelivery {
  // latin1 has one character per byte, so that positions in text and bytes are equal.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const end = /\r?\n\r?\n/.exec(text);
  const [requestLine = "", ...lines] = text.slice(0, end?.index).split(/\r?\n/);
  if (end === null || !/^[A-Z]+ \S+ HTTP\/\d(?:\.\d)?$/.test(requestLine)) {
    throw new UsageError(
      "--request is not an HTTP request: it needs a line such as POST /hook HTTP/1.1, headers, a blank line and the body.",
    );
  }
  const headers = lines.map((line) => parseHeader(line, "--request"));
  return { headers, body: bodyOf(bytes.slice(end.index + end[0].length), headers) };
}

/** @throws UsageError, without the line: it can contain a signature. */
export function parseHeader(line: string, flag: string): readonly [name: string, value: string] {
  const [, name, value] = /^([^\s:]+):(.*)$/.exec(line) ?? [];
  if (name !== undefined && value !== undefined) return [name, value.trim()];
  throw new UsageError(`${flag} has a header that is not of the form "Name: value".`);
}

/** Cuts off what an editor adds after the body, such as a line break. */
function bodyOf(
  body: Uint8Array<ArrayBuffer>,
  headers: SavedDelivery["headers"],
): Uint8Array<ArrayBuffer> {
  const values = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));
  if (values.has("transfer-encoding")) {
    throw new UsageError("--request has a chunked body. Save the decoded body, and use --body.");
  }
  const length = values.get("content-length");
  if (length === undefined || !/^\d+$/.test(length)) return body;
  if (body.length >= Number(length)) return body.slice(0, Number(length));
  throw new UsageError(
    `--request has a body of ${body.length} bytes, but Content-Length is ${length}: the body is incomplete.`,
  );
}
