import type { Fields } from "../api/canonical-fields.ts";
import { errorResponse, invalidField } from "./error-response.ts";

/** Maximum number of property names, and of list items, in a body at any depth. */
const maxEntries = 256;
/** Maximum depth of objects and lists in a body. */
const maxDepth = 8;

/** Reads a JSON object. Returns an error response as soon as the body exceeds a limit, and for any other content. */
export async function readJson(request: Request, maxBody: number): Promise<Fields | Response> {
  // Pages of other sites can send other content types without a preflight request.
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(request.headers.get("content-type") ?? "")) {
    const loc = ["header", "content-type"];
    return invalidField(loc, "content_type", "The content type must be application/json.");
  }
  if (request.bodyUsed) {
    throw new Error("authorize or limit has read the body. Read request.clone() instead.");
  }
  const text = await readText(request, maxBody);
  if (text instanceof Response) return text;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // Treated like any other value that is not an object.
  }
  if (isObject(json) && !Array.isArray(json)) return json;
  return invalidField(["body"], "json_invalid", "The body must be a JSON object.");
}

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

async function readText(request: Request, maxBody: number): Promise<string | Response> {
  const tooLarge = `The body is larger than ${maxBody} bytes. See the proxy's option maxBody. Base64 makes images a third larger.`;
  // A small Content-Length can be wrong, so the bytes are counted as well.
  if (Number(request.headers.get("content-length")) > maxBody) return errorResponse(413, tooLarge);
  // Some runtimes have no `Request.body`.
  const reader = (request.body ?? (await request.blob()).stream()).getReader();
  const scan = new JsonScan();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let left = maxBody;
  try {
    for (;;) {
      const { done, value: bytes } = await reader.read();
      if (done) return text + decoder.decode();
      left -= bytes.length;
      if (left < 0) return errorResponse(413, tooLarge);
      const limit = scan.read(bytes);
      if (limit) return errorResponse(400, `The body has ${limit}, the proxy's limit.`);
      text += decoder.decode(bytes, { stream: true });
    }
  } catch {
    return errorResponse(400, "The body is incomplete or not UTF-8.");
  } finally {
    // Releases the rest of the body; does nothing at its end.
    reader.cancel().catch(() => undefined);
  }
}

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c] as const;
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/**
 * Counts what makes JSON costly to parse, in one pass over its bytes and before it is parsed. Text that is not JSON can
 * have wrong counts: parsing it ends at the first error, and the counts up to there are right.
 */
export class JsonScan {
  /** Number of property names, duplicates included. */
  names = 0;
  /** Number of list items; an empty list counts as one. */
  items = 0;
  /** Maximum depth so far. */
  depth = 0;
  /** Open lists (1) and objects (0), the innermost last. */
  readonly #open: number[] = [];
  #inString = false;
  #escaped = false;

  /** Counts the next bytes, and returns the limit that the body exceeds, if any; then the scan is over. */
  read(bytes: Uint8Array): string | undefined {
    let inString = this.#inString;
    let escaped = this.#escaped;
    // An index is twice as fast as for … of here, and images are long.
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (escaped) escaped = false;
      else if (byte === quote) inString = !inString;
      else if (inString) escaped = byte === backslash;
      else {
        const limit = this.#count(byte);
        if (limit !== undefined) return limit;
      }
    }
    this.#inString = inString;
    this.#escaped = escaped;
    return undefined;
  }

  #count(byte: number): string | undefined {
    if (byte === openList || byte === openObject) {
      const list = Number(byte === openList);
      this.items += list;
      this.depth = Math.max(this.depth, this.#open.push(list));
    } else if (byte === closeList || byte === closeObject) {
      this.#open.pop();
    } else if (byte === colon) {
      this.names += 1;
    } else if (byte === comma) {
      this.items += this.#open.at(-1) ?? 0;
    } else {
      return undefined;
    }
    if (this.names > maxEntries) return `more than ${maxEntries} property names`;
    if (this.items > maxEntries) return `more than ${maxEntries} list items`;
    return this.depth > maxDepth ? `a depth of more than ${maxDepth}` : undefined;
  }
}
