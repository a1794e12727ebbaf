import { boundedBytes } from "../bounded-bytes.ts";
import type { Options } from "../options.ts";
import { limits } from "../service/catalogue.ts";
import { ServiceError } from "../service/service-error.ts";
import { MalformedBody } from "./invalid-input.ts";
import { jsonLimitProblem } from "./json-limits.ts";
import { problem } from "./validation.ts";

/** A body over the bound, which is not read to its end. */
export class OversizeBody extends Error {
  constructor() {
    super(`The body is over ${limits.bodyBytes} bytes (64 MiB), which is the most that is read.`);
    this.name = "OversizeBody";
  }
}

/** The connection broke while the body was sent: there is nobody to answer. */
export class BrokenBody extends Error {
  constructor(cause: unknown) {
    super("The body could not be read to its end.", { cause });
    this.name = "BrokenBody";
  }
}

/** How long, in milliseconds of the machine, moving time by hand waits for a body that is still being sent. */
export const readPatience = 1_000;

/**
 * Reads a request's body as a JSON object.
 *
 * @throws MalformedBody when it is not one or not said to be JSON, OversizeBody when it is too long, Refusal
 * `bad-request` when it exceeds a limit of JSON.
 */
export async function readJsonObject(
  request: Request,
  options: Options,
): Promise<Readonly<Record<string, unknown>>> {
  const bytes = await readBytes(request);
  const refuse = (type: string, msg: string, ctx: Record<string, unknown>): never => {
    throw new MalformedBody([problem(["body"], { type, msg, ctx }, undefined, options)]);
  };
  if (!isJson(request.headers.get("content-type"))) {
    const msg = "Input should be a valid dictionary; send Content-Type: application/json";
    return refuse("model_attributes_type", msg, {});
  }
  if (bytes.length === 0) return refuse("missing", "Field required", {});
  const limitProblem = jsonLimitProblem(bytes);
  if (limitProblem !== undefined) throw new ServiceError("bad-request", limitProblem);
  const read = parse(bytes);
  if ("error" in read) return refuse("json_invalid", "JSON decode error", { error: read.error });
  const { value } = read;
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    const msg = "Input should be a valid dictionary or object to extract fields from";
    return refuse("model_attributes_type", msg, {});
  }
  // It is neither null nor a list, so it is an object of JSON.
  return value as Readonly<Record<string, unknown>>;
}

function isJson(contentType: string | null): boolean {
  const mediaType = (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return mediaType === "application/json" || /^[\w.-]+\/[\w.-]+\+json$/.test(mediaType);
}

/**
 * Reads a request's body up to the bound.
 *
 * @throws OversizeBody when it is longer, BrokenBody when it ends with an error.
 */
export async function readBytes(request: Request): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length")) > limits.bodyBytes) throw new OversizeBody();
  const bytes = await boundedBytes(request.body, limits.bodyBytes).catch((error: unknown) => {
    throw new BrokenBody(error);
  });
  if (bytes === undefined) throw new OversizeBody();
  return bytes;
}

function parse(bytes: Uint8Array): { value: unknown } | { error: string } {
  try {
    return { value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) };
  } catch (error) {
    // The engine's own message may repeat a part of the body.
    return { error: error instanceof TypeError ? "not valid UTF-8" : "not valid JSON" };
  }
}
