import { UsageError } from "@tryon/cli-kit";

import type { ReadInput } from "./input.ts";

type Pairs = ReadonlyArray<readonly [name: string, value: string]>;

interface SavedDelivery {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Pairs;
}

export async function readDelivery(
  request: string | undefined,
  body: string,
  headers: readonly string[],
  read: ReadInput,
): Promise<SavedDelivery> {
  if (request !== undefined) return parseRequest(await read("request", request));
  const bytes = await read("body", body);
  return { body: bytes, headers: headers.map((line) => parseHeader(line, "--header")) };
}

function parseRequest(bytes: Buffer<ArrayBuffer>): SavedDelivery {
  // latin1 has one character per byte, so that positions in text and bytes are equal.
  const text = bytes.toString("latin1");
  const end = /\r?\n\r?\n/.exec(text);
  const [requestLine = "", ...lines] = text.slice(0, end?.index).split(/\r?\n/);
  if (end === null || !/^[A-Z]+ \S+ HTTP\/\d(?:\.\d)?$/.test(requestLine)) {
    throw new UsageError(
      "--request is not an HTTP request: it needs a line such as POST /hook HTTP/1.1, headers, a blank line and the body.",
    );
  }
  const headers = lines.map((line) => parseHeader(line, "--request"));
  return { headers, body: bodyOf(bytes.subarray(end.index + end[0].length), headers) };
}

/** @throws UsageError, without the line: it can contain a signature. */
function parseHeader(line: string, flag: string): readonly [name: string, value: string] {
  const [, name, value] = /^([^\s:]+):(.*)$/.exec(line) ?? [];
  if (name !== undefined && value !== undefined) return [name, value.trim()];
  throw new UsageError(`${flag} has a header that is not of the form "Name: value".`);
}

/** Cuts off what an editor adds after the body, such as a line break. */
function bodyOf(body: Uint8Array<ArrayBuffer>, headers: Pairs): Uint8Array<ArrayBuffer> {
  const values = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));
  if (values.has("transfer-encoding")) {
    throw new UsageError("--request has a chunked body. Save the decoded body, and use --body.");
  }
  const length = values.get("content-length") ?? "";
  if (!/^\d+$/.test(length)) return body;
  if (body.length >= Number(length)) return body.subarray(0, Number(length));
  throw new UsageError(
    `--request has a body of ${body.length} bytes, but Content-Length is ${length}: the body is incomplete.`,
  );
}
