import { UsageError } from "@tryon/command-line";

import type { Input } from "./input.ts";
import type { CheckCommand } from "./program.ts";
import { parseHeader, readRawRequest, type Pairs, type SavedDelivery } from "./raw-request.ts";

export async function readDelivery(command: CheckCommand, input: Input): Promise<SavedDelivery> {
  const { request, body = "-", header = [], headers } = command;
  if (request !== undefined) return readRawRequest(await input.bytes("request", request));
  const bytes = await input.bytes("body", body);
  const file = headers === undefined ? "" : await input.text("headers", headers);
  const given = header.map((line) => parseHeader(line, "--header"));
  return { body: bytes, headers: [...given, ...parseHeaders(file)] };
}

/** Parses lines such as `Name: value`, or JSON: an object, or a list of pairs. */
function parseHeaders(text: string): Pairs {
  if (/^\s*[{[]/.test(text)) return parseJsonHeaders(text);
  const lines = text.split(/\r?\n/).filter((line) => line !== "");
  return lines.map((line) => parseHeader(line, "--headers"));
}

function parseJsonHeaders(text: string): Pairs {
  const value = parseJson(text);
  const pairs: unknown[] = Array.isArray(value) ? value : Object.entries(Object(value));
  return pairs.flatMap((pair): Pairs => {
    const [name, values]: unknown[] = Array.isArray(pair) ? pair : [];
    const list: unknown[] = Array.isArray(values) ? values : [values];
    return list.map((one): readonly [string, string] => {
      if (typeof name === "string" && typeof one === "string") return [name, one];
      throw new UsageError("--headers has a name or value that is not a string.");
    });
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError("--headers is not valid JSON.");
  }
}
