import type { Options } from "../options.ts";
import { limits } from "../service/catalogue.ts";
import { badRequest } from "../service/service-error.ts";
import { patience, type ServerStateClock } from "../system/system.ts";
import { jsonLimitProblem } from "./json-limits.ts";
import { fromWebRequest, type HttpRequest } from "./message.ts";
import type { ValidationError } from "@tryon/spec/openapi";
import { InvalidInput, problemAt } from "./validation.ts";

export class MalformedBody extends InvalidInput {}

export class WrongContentType extends InvalidInput {}

export class OversizeBody extends Error {
  override readonly name = "OversizeBody";
  override readonly message = `The body exceeds the limit of ${limits.bodyBytes} bytes (64 MiB).`;
}

/** The connection broke while the client was sending the body, so the server sends no response. */
export class BrokenBody extends Error {
  override readonly name = "BrokenBody";
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a request's body as a JSON object.
 *
 * @param note Called with the body, also if it is refused: its JSON value, or the beginning of another text. `isShort` is
 * true up to 8 KiB.
 * @throws WrongContentType; MalformedBody when it is not JSON or not an object; OversizeBody when it is too long;
 * ServiceError `bad-request` when it exceeds a limit of JSON.
 */
export async function readJsonObject(
  request: HttpRequest,
  options: Options,
  note: (body: unknown, isShort: boolean) => void = () => {},
): Promise<Readonly<Record<string, unknown>>> {
  const bytes = await readBytes(request);
  const isShort = bytes.length <= beginningBytes;
  const problems = (type: string, msg: string, ctx = {}): ValidationError[] => [
    problemAt(["body"], { type, msg, ctx }, undefined, options),
  ];
  const refuse = (...problem: Parameters<typeof problems>): never => {
    throw new MalformedBody(problems(...problem));
  };
  if (!isJson(request.headers.get("content-type"))) {
    note(beginning(bytes), isShort);
    const msg = "Input should be a valid dictionary; send Content-Type: application/json";
    throw new WrongContentType(problems("model_attributes_type", msg));
  }
  if (bytes.length === 0) return refuse("missing", "Field required");
  const { value, error } = parseJson(bytes);
  note(error === undefined ? value : beginning(bytes), isShort);
  if (error !== undefined) return refuse("json_invalid", "JSON decode error", { error });
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    const msg = "Input should be a valid dictionary or object to extract fields from";
    return refuse("model_attributes_type", msg);
  }
  // It is neither null nor an array, so it is an object of JSON.
  return value as Readonly<Record<string, unknown>>;
}

const beginningBytes = 8_192;

function beginning(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes.subarray(0, beginningBytes));
  return bytes.length > beginningBytes ? `${text}…` : text;
}

function isJson(contentType: string | null): boolean {
  const mediaType = (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return mediaType === "application/json" || /^[\w.-]+\/[\w.-]+\+json$/.test(mediaType);
}

/**
 * Creates the request of a call of `fetch`. A body that is a text gets no stream, which costs more than all other work of a
 * request.
 */
export function createRequest(...[resource, init]: ConstructorParameters<typeof Request>): {
  readonly request: HttpRequest;
  readonly web: Request;
} {
  const isPlain = init !== undefined && Object.getPrototypeOf(init) === Object.prototype;
  if (isPlain && !(resource instanceof Request) && typeof init.body === "string") {
    const { body, ...rest } = init;
    const web = new Request(resource, rest);
    // These have no body, which the constructor reports below.
    if (!["GET", "HEAD"].includes(web.method)) {
      if (!web.headers.has("content-type"))
        web.headers.set("content-type", "text/plain;charset=UTF-8");
      return { request: fromWebRequest(web, body), web };
    }
  }
  const web =
    resource instanceof Request && init === undefined ? resource : new Request(resource, init);
  if (web.bodyUsed) {
    throw new TypeError("The body of the request was read before; send a new one.");
  }
  return { request: fromWebRequest(web), web };
}

export function readInTime<Body>(
  request: HttpRequest,
  clock: ServerStateClock,
  read: () => Promise<Body>,
): Promise<Body> {
  return request.isBuffered ? read() : clock.outside(read(), patience);
}

export async function readBytes(request: HttpRequest): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length")) > limits.bodyBytes) throw new OversizeBody();
  const bytes = await request.readBody(limits.bodyBytes).catch((error: unknown) => {
    throw new BrokenBody("The body could not be read to its end.", { cause: error });
  });
  if (bytes === undefined) throw new OversizeBody();
  return bytes;
}

export function parseJson(bytes: Uint8Array): { value?: unknown; error?: string } {
  const limitProblem = jsonLimitProblem(bytes);
  if (limitProblem !== undefined) return badRequest(limitProblem);
  try {
    return { value: JSON.parse(utf8.decode(bytes)) };
  } catch (error) {
    // The engine's own message may repeat a part of the body.
    return { error: error instanceof TypeError ? "not valid UTF-8" : "not valid JSON" };
  }
}
