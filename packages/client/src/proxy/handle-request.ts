import type { Fields } from "../api/canonical-fields.ts";
import type { FieldName } from "../api/check-fields.ts";
import { defaults, maxSyncWait } from "../config/options.ts";
import { unknownName } from "../config/resolve-config.ts";
import type { RepeatableImage } from "../images/image-source.ts";
import {
  convertContent,
  errorResponse,
  isAborted,
  isJsonObject,
  jobNotFound,
  jobsOfUser,
  jsonResponse,
  mapErrorResponse,
  responseHeaders,
  userTagField,
} from "./convert-response.ts";
import { filterFields } from "./filter-fields.ts";
import type { ProxyCall, ProxyError, RefusedJob } from "./options.ts";
import type { ProxySettings } from "./resolve-options.ts";

const otherKey = "The API key was replaced since the first attempt. Nothing was sent.";

/** Maximum number of characters that are costly to parse. Base64 has none of them. */
const maxPunctuation = 2_000;

/** Fields that `addFields` can return. The service ignores an unknown one, and the alias of a field that is set. */
const addedNames: Readonly<Record<Exclude<FieldName, "mode">, true>> = {
  person: true,
  person_url: true,
  person_image_b64: true,
  garments: true,
  garment_urls: true,
  garment_images_b64: true,
  prompt: true,
  negative_prompt: true,
  style_hint: true,
  seed: true,
  metadata: true,
  webhook_url: true,
  output_size: true,
  wait: true,
};

/** Request to the service, with the method of the user's request. Everything in it is checked or made by the proxy. */
interface UpstreamRequest {
  readonly path: string;
  readonly fields?: Fields;
  readonly idempotencyKey?: string;
  readonly jobId?: string;
}

export async function handleRequest(
  call: ProxyCall,
  id: string,
  settings: ProxySettings,
  report: (error: ProxyError) => void,
): Promise<Response> {
  const { tryon, signer, refusals } = settings;
  const { kind, user, request } = call;
  const { method } = request;
  // Throws without a valid key and URL.
  const { serviceUrl } = tryon;
  if (kind === "key") {
    const fingerprint = await tryon.digestKey((key) => signer.keyTag(key));
    return jsonResponse(200, { fingerprint });
  }
  const upstream = await buildUpstreamRequest(call, id, settings, report);
  if (upstream instanceof Response) return upstream;
  const { path, fields, idempotencyKey, jobId } = upstream;
  try {
    if (kind === "submit") await refusals?.mark("sent", user.id, call.idempotencyKey);
  } catch (cause) {
    report({
      message: "The store of maxRefusals threw an error; the proxy responded with 503. See cause.",
      user: user.id,
      cause,
    });
    return errorResponse(503, "The proxy could not check the limit of this user.");
  }
  const headers = {
    Accept: "application/json",
    ...(fields && { "Content-Type": "application/json" }),
    ...(idempotencyKey !== undefined && { "Idempotency-Key": idempotencyKey }),
  };
  const body = fields && JSON.stringify(fields);
  const timeout = defaults.attemptTimeout + (kind === "submit" ? maxSyncWait : 0);
  const expected = /^"(\w+)"$/.exec(request.headers.get("if-match") ?? "")?.[1];
  const sent = await tryon.sendOnce(
    { method, url: `${serviceUrl}${path}`, headers, body, timeout },
    // A request that can be charged is not canceled when the client closes it.
    method === "GET" ? request.signal : undefined,
    // Under another API key, a retry would make a second job.
    async (key) => !expected || kind !== "submit" || expected === (await signer.keyTag(key)),
  );
  if (!sent) return jsonResponse(412, { detail: otherKey, retryable: false });
  const { outcome, redact } = sent;
  const { response } = outcome;
  const content =
    response?.response.ok &&
    (await convertContent(response.content, call, redact, settings, jobId));
  const converted =
    response && content
      ? jsonResponse(200, content, responseHeaders(response))
      : mapErrorResponse(outcome, kind, redact, (message) =>
          report({ message, user: user.id, status: response?.status }),
        );
  await recordRefusals(converted.status, response?.content, call, settings, report);
  return converted;
}

async function recordRefusals(
  status: number,
  content: unknown,
  { kind, user: { id }, idempotencyKey }: ProxyCall,
  settings: ProxySettings,
  report: (error: ProxyError) => void,
): Promise<void> {
  const { refusals } = settings;
  try {
    if (refusals && kind === "submit" && [400, 413, 422].includes(status)) {
      await refusals.mark("invalid", id, idempotencyKey);
    }
    const jobs = refusals && status === 200 ? await jobsOfUser(content, id, settings) : [];
    // It checks all fields.
    for (const job of jobs) await refusals?.record(id, Object(job) as RefusedJob);
  } catch (cause) {
    // The user gets the response all the same.
    const message =
      "The store of maxRefusals threw an error, so a refusal was not counted. See cause.";
    report({ message, user: id, cause });
  }
}

async function buildUpstreamRequest(
  call: ProxyCall,
  id: string,
  settings: ProxySettings,
  report: (error: ProxyError) => void,
): Promise<UpstreamRequest | Response> {
  const { kind, request, user } = call;
  const { signer } = settings;
  if (kind === "get") {
    const jobId = await signer.verifyId("job", user.id, id);
    if (jobId === undefined) return errorResponse(404, jobNotFound);
    return { path: `/api/v1/tryon/${jobId}`, jobId };
  }
  if (kind === "list") {
    const query = new URLSearchParams();
    // The service checks the values.
    for (const [name, value] of new URL(request.url).searchParams) {
      if (["limit", "status_filter", "status"].includes(name)) query.set(name, value);
      if (name !== "cursor") continue;
      const cursor = await signer.verifyId("cursor", user.id, value);
      if (cursor === undefined)
        return errorResponse(400, "cursor must be a next_cursor of this list.");
      query.set(name, cursor);
    }
    return { path: `/api/v1/tryon?${query}` };
  }
  if (kind === "account") return { path: "/api/v1/account" };
  const posted = await readJson(request, settings.maxBody, report);
  if (posted instanceof Response) return posted;
  if (kind === "submit") return buildSubmission(posted, call, settings);
  kind satisfies "purchase" | "key";
  const { pack_slug, shared_payment_granted_token } = posted;
  const fields = { pack_slug, shared_payment_granted_token };
  return { path: "/api/v1/credits/purchase", fields };
}

async function buildSubmission(
  posted: Fields,
  call: ProxyCall,
  settings: ProxySettings,
): Promise<UpstreamRequest | Response> {
  const { user, idempotencyKey = "" } = call;
  const { addFields, allow, signer } = settings;
  const fields = filterFields(posted, settings);
  if (fields instanceof Response) return fields;
  const garments = await resolveGarments(fields, call, settings);
  if (garments instanceof Response) return garments;
  const { extra, ...added } = { ...(await addFields?.(call)) };
  const unknown = unknownName(added, addedNames);
  if (unknown) {
    throw new Error(
      `addFields returned ${unknown.name}, which is not a field of a try-on. ${unknown.hint} Return fields of a newer service in extra.`,
    );
  }
  const metadata = {
    ...Object(fields["metadata"]),
    ...Object(added["metadata"]),
    ...(allow.list === true && { [userTagField]: await signer.userTag(user.id) }),
  };
  return {
    path: "/api/v1/tryon",
    fields: {
      ...fields,
      ...garments,
      ...added,
      ...Object(extra),
      ...(Object.keys(metadata).length > 0 && { metadata }),
    },
    idempotencyKey: await signer.idempotencyKey(user.id, idempotencyKey),
  };
}

/** Returns the fields of the garments that the shop chooses; an error response if it has none for this submission. */
async function resolveGarments(
  { garment_urls: sent }: Fields,
  call: ProxyCall,
  { resolveGarments: resolve, tryon }: ProxySettings,
): Promise<Fields | Response | undefined> {
  if (resolve === undefined) return undefined;
  const garments = [sent ?? []].flat().filter((one) => typeof one === "string");
  const resolved = (await resolve({ ...call, garments })) ?? [];
  if (resolved.length === 0) {
    const issue = { loc: ["body", "garment_urls"], type: "unknown_garment" };
    return errorResponse(422, [{ ...issue, msg: "The shop has no such garment." }]);
  }
  // The person is replaced by that of the submission.
  const input = { person: "https://person.invalid", garments: resolved };
  const { fields, images } = await tryon.readInput(input, call.request.signal);
  const { garment_urls } = JSON.parse(fields) as Fields;
  return { garment_urls, garment_images_b64: await Promise.all(images.map(toBase64)) };
}

/** Number of bytes that `btoa` encodes at once: a multiple of 3, within the limit of arguments of a call. */
const chunkLength = 8_190;

async function toBase64({ content }: RepeatableImage): Promise<string> {
  if (typeof content === "string") return content;
  const bytes = new Uint8Array(await content.slice(0, content.size).arrayBuffer());
  let text = "";
  for (let start = 0; start < bytes.length; start += chunkLength)
    text += btoa(String.fromCharCode(...bytes.subarray(start, start + chunkLength)));
  return text;
}

/** Reads a JSON object. Returns an error response as soon as the body exceeds a limit, and for any other content. */
async function readJson(
  request: Request,
  maxBody: number,
  report: (error: ProxyError) => void,
): Promise<Fields | Response> {
  // Pages of other sites can send other content types without a preflight request.
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(request.headers.get("content-type") ?? "")) {
    const msg = "The content type must be application/json.";
    return errorResponse(422, [{ loc: ["header", "content-type"], msg, type: "content_type" }]);
  }
  if (request.bodyUsed) {
    throw new Error("authorize or limit has read the body. Read request.clone() instead.");
  }
  // Some runtimes have no `Request.body`.
  const reader = (request.body ?? (await request.blob()).stream()).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let unreadable: { readonly cause: unknown } | undefined;
  let text = "";
  let left = maxBody;
  try {
    for (let isEnd = false; !isEnd;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        unreadable = { cause };
        throw cause;
      });
      isEnd = done;
      left -= value?.length ?? 0;
      if (left < 0) {
        const detail = `The body is larger than ${maxBody} bytes. See the proxy's option maxBody. Base64 makes images a third larger.`;
        return errorResponse(413, detail);
      }
      text += decoder.decode(value, { stream: !done });
    }
    if (text.split(/[[{:,]/, maxPunctuation + 2).length > maxPunctuation + 1) {
      const detail = `The body has more than ${maxPunctuation} commas, colons and opening brackets, the proxy's limit.`;
      return errorResponse(400, detail);
    }
    const json: unknown = JSON.parse(text);
    if (isJsonObject(json)) return json;
  } catch {
    // Otherwise the body is not JSON in UTF-8.
    if (unreadable && !isAborted(request)) return unreadableResponse(unreadable.cause, report);
  } finally {
    // Releases the rest of the body; does nothing at its end.
    reader.cancel().catch(() => undefined);
  }
  const msg = "The body must be a JSON object in UTF-8.";
  return errorResponse(422, [{ loc: ["body"], msg, type: "json_invalid" }]);
}

/** A framework's limit ends a body with an error, of which only some say that it is 413. */
function unreadableResponse(cause: unknown, report: (error: ProxyError) => void): Response {
  const { status, statusCode = status, message } = Object(cause) as Record<string, unknown>;
  const isTooLarge = statusCode === 413;
  const reason = typeof message === "string" ? message.slice(0, 200) : "unknown reason";
  report({
    message: `The body could not be read (${reason}). Check the body limit of your framework, such as BODY_SIZE_LIMIT of SvelteKit, and the connection.`,
    cause,
  });
  return isTooLarge
    ? errorResponse(413, "The body is larger than the server accepts.")
    : errorResponse(400, `The body could not be read: ${reason}`);
}
