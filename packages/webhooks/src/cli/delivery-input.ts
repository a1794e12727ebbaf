import type { CheckCommand } from "./arguments.ts";
import { UsageError } from "./flags.ts";
import type { Input } from "./input.ts";
import { headerOf, readRawRequest } from "./raw-request.ts";

type Pairs = ReadonlyArray<readonly [name: string, value: string]>;

/** A delivery as it was kept. */
export interface SavedDelivery {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Pairs;
}

export async function readDelivery(command: CheckCommand, input: Input): Promise<SavedDelivery> {
  if (command.request !== undefined) {
    return readRawRequest(await input.bytes("request", command.request));
  }
  const { body = "-", headersFile } = command;
  const bytes = await input.bytes("body", body);
  const kept = headersFile === undefined ? "" : await input.text("headers", headersFile);
  const given = command.headers.map((line) => headerOf(line, "--header"));
  return { body: bytes, headers: [...given, ...headersOf(kept)] };
}

/** Lines of `Name: value`, or JSON: an object, or a list of pairs. */
function headersOf(text: string): Pairs {
  if (/^\s*[{[]/.test(text)) return jsonHeaders(text);
  const lines = text.split(/\r?\n/).filter((line) => line !== "");
  return lines.map((line) => headerOf(line, "--headers"));
}

function jsonHeaders(text: string): Pairs {
  const value = parsed(text);
  const pairs: unknown[] = Array.isArray(value) ? value : Object.entries(Object(value));
  return pairs.flatMap((pair): Pairs => {
    const [name, values]: unknown[] = Array.isArray(pair) ? pair : [];
    const list: unknown[] = Array.isArray(values) ? values : [values];
    return list.map((one): readonly [string, string] => {
      if (typeof name === "string" && typeof one === "string") return [name, one];
      throw new UsageError("--headers has a name or a value in its JSON that is no text.");
    });
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError("--headers is no JSON, although it begins like it.");
  }
}
