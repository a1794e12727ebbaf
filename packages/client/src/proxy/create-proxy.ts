import { InputError } from "@tryon/client";

import { tooManyRefusals } from "../http/outcome-table.ts";
import { errorResponse, isAborted, jsonResponse } from "./convert-response.ts";
import { handleRequest } from "./handle-request.ts";
import type {
  ProxyCall,
  ProxyError,
  ProxyKind,
  ProxyOptions,
  ProxyRequest,
  ProxyUser,
  RefusedJob,
} from "./options.ts";
import { resolveOptions, type ProxySettings } from "./resolve-options.ts";

const maxKeyLength = 200;
const defaultRetryAfter = 3_600;
/** Maximum `Retry-After`, in seconds. A client could misread a much larger number as a date. */
const maxRetryAfter = 86_400;

const corsHeaders = [
  ["access-control-allow-credentials", "true"],
  ["access-control-allow-headers", "content-type, idempotency-key, if-match, authorization"],
  ["access-control-allow-methods", "GET, POST"],
  ["access-control-expose-headers", "retry-after, idempotent-replayed, x-request-id"],
  ["access-control-max-age", "600"],
] as const;

/** Fetch handler of `createProxy`. It passes the second argument to `authorize`. */
export interface Proxy<Context = unknown> {
  (
    request: ProxyRequest,
    ...rest: unknown extends Context ? [context?: unknown] : [context: Context]
  ): Promise<Response>;
  /**
   * Returns the service's id of a job by the id that the user's page has. Undefined if the id is not valid for this user.
   *
   * @example
   * const jobId = await proxy.toServiceJobId(user, "job_4Kq0a7c5");
   * if (jobId) console.log((await tryon.jobs.get(jobId)).status);
   */
  toServiceJobId(user: ProxyUser, id: string): Promise<string | undefined>;
  /**
   * Returns the id that a user's page has of a job, by the service's id, such as `job_id` of a webhook. Any id is signed for
   * any user: check first that the job is the user's.
   *
   * @example
   * const id = await proxy.toPageJobId(user, job.id);
   */
  toPageJobId(user: ProxyUser, id: string): Promise<string>;
  /**
   * Counts a job in `maxRefusals` if the service has refused its content, such as one that a webhook reports. Each job counts
   * once, also if its page has polled it. Returns true if it is counted now. Returns false for other jobs and events, and
   * without `maxRefusals`.
   *
   * @param user - User who has submitted the job, as `authorize` returns it.
   * @param job - Event of a webhook, or `data` of a job.
   * @throws `invalid_input` if `id` of the user is blank or missing. Errors of the store.
   * @example
   * // In `onCompleted` of a receiver, with the event instead of `job.data`.
   * if (await proxy.recordRefusal(user, job.data)) console.warn("refused", user.id);
   */
  recordRefusal(user: ProxyUser, job: RefusedJob): Promise<boolean>;
}

/**
 * Creates a fetch handler through which pages use the service without the API key. Pages connect with
 * `new TryOn({ proxyUrl })`. The handler runs in every runtime with `Request` and `Response`.
 *
 * It serves `POST …/api/v1/tryon` and `GET …/api/v1/tryon/{job_id}` below `basePath`, and can serve more by `allow`. It
 * requires a user from `authorize`; users can read only their own jobs. It keeps no state between requests, so any
 * number of instances can run in parallel.
 *
 * The handler forwards only allowed fields of a request. It rejects requests from pages of other sites.
 *
 * @throws `invalid_input` if `authorize` is missing, or an option is invalid; `invalid_config` for an invalid key or URL;
 * `unsafe_environment` if the key would be at risk. The proxy checks values from the environment and from an `apiKey`
 * function at each request, which gets 500 if they are invalid.
 * @example
 * import { createProxy } from "@tryon/client/proxy";
 *
 * const proxy = createProxy({
 *   authorize: async (request) => {
 *     const session = await readSession(request.headers.get("cookie"));
 *     return session && { id: session.userId };
 *   },
 * });
 * export const GET = proxy; // Next.js: app/api/tryon/[...path]/route.ts
 * export const POST = proxy;
 */
export function createProxy<User extends ProxyUser, Context = unknown>(
  options: ProxyOptions<User, Context>,
): Proxy<Context> {
  // The callbacks get only users that `authorize` returned, and the context of the same proxy.
  const settings = resolveOptions(options as unknown as ProxyOptions);
  const handler = async (given: ProxyRequest, context?: unknown): Promise<Response> => {
    // Only the callbacks of the caller can use more.
    const request = given as Request;
    const origin = request.headers.get("origin");
    const isAllowed = origin !== null && settings.origins.includes(origin);
    const response = await respond(request, context, isAllowed, settings);
    // The headers of some responses are immutable.
    const copy = new Response(response.body, response);
    copy.headers.append("vary", "Origin");
    if (isAllowed) copy.headers.set("access-control-allow-origin", origin);
    for (const [name, value] of isAllowed ? corsHeaders : []) copy.headers.set(name, value);
    return copy;
  };
  const { signer, refusals } = settings;
  return Object.assign(handler, {
    toServiceJobId: (user: ProxyUser, id: string) => signer.verifyId("job", user.id, id),
    toPageJobId: (user: ProxyUser, id: string) => signer.signId("job", user.id, id),
    recordRefusal: async (user: ProxyUser, job: RefusedJob) => {
      const id = readUserId(user);
      if (id !== undefined) return (await refusals?.record(id, job)) ?? false;
      const hint = "Pass the user as authorize returns it.";
      throw new InputError("user", "must have an id that is not blank", { hint });
    },
  });
}

async function respond(
  request: Request,
  context: unknown,
  isAllowedOrigin: boolean,
  settings: ProxySettings,
): Promise<Response> {
  let kind: ProxyKind | undefined;
  const report = (error: ProxyError): void => {
    try {
      settings.onError({ kind, ...error });
    } catch {
      // An error of the callback must not end the request.
    }
  };
  const wrongOrigin = "This origin may not use the proxy. See the proxy's option origins.";
  try {
    if (request.method === "OPTIONS") {
      return isAllowedOrigin
        ? new Response(null, { status: 204 })
        : errorResponse(403, wrongOrigin);
    }
    const route = findRoute(request, settings);
    if (route instanceof Response) return route;
    ({ kind } = route);
    const foreign = isAllowedOrigin ? undefined : describeForeign(request);
    if (foreign !== undefined) return errorResponse(403, `${wrongOrigin}${foreign}`);
    const call = await authorizeRequest(request, context, kind, settings, report);
    if (call instanceof Response) return call;
    return await handleRequest(call, route.id, settings, report);
  } catch (cause) {
    // No one reads this response, and the operator has nothing to fix.
    if (isAborted(request)) return errorResponse(499, "The client closed the request.");
    report({ message: "The proxy failed. See cause.", cause });
    return errorResponse(500, "The proxy failed.");
  }
}

/**
 * Describes a request from a page of another site, by headers that browsers set and pages cannot change. A request without
 * them does not come from a page of another site, and has no description.
 */
function describeForeign({ headers, url }: Request): string | undefined {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin" || site === "none" ? undefined : "";
  const origin = headers.get("origin");
  if (origin === null) return undefined;
  if (!URL.canParse(origin)) return "";
  const { host } = new URL(url);
  // Compares the host only: a reverse proxy can turn https into http.
  if (new URL(origin).host === host) return undefined;
  return ` The request reached it with the Host ${host}. If a gateway replaced that header, let it pass on the Host of the page: proxy_set_header Host $http_host in nginx, ProxyPreserveHost On in Apache.`;
}

const routes: readonly (readonly [RegExp, Readonly<Record<string, ProxyKind>>])[] = [
  [/^\/api\/v1\/tryon$/, { POST: "submit", GET: "list" }],
  [/^\/api\/v1\/tryon\/([^/]+)$/, { GET: "get" }],
  [/^\/api\/v1\/key$/, { GET: "key" }],
  [/^\/api\/v1\/account$/, { GET: "account" }],
  [/^\/api\/v1\/credits\/purchase$/, { POST: "purchase" }],
];

function findRoute(
  { method, url }: Request,
  { basePath, allow }: ProxySettings,
): { readonly kind: ProxyKind; readonly id: string } | Response {
  const { pathname } = new URL(url);
  const path = pathname.startsWith(basePath) ? pathname.slice(basePath.length) : "";
  for (const [pattern, kinds] of routes) {
    const found = pattern.exec(path);
    if (found === null) continue;
    const kind = Object.hasOwn(kinds, method) ? kinds[method] : undefined;
    if (kind === undefined) {
      return errorResponse(405, "Method Not Allowed", { allow: Object.keys(kinds).join(", ") });
    }
    if (kind !== "submit" && kind !== "get" && kind !== "key" && allow[kind] !== true) {
      return errorResponse(404, `${method} is not enabled here. See the proxy's option allow.`);
    }
    return { kind, id: found[1] ?? "" };
  }
  const detail = `Not Found. The proxy serves ${basePath}/api/v1/tryon. See its option basePath.`;
  return errorResponse(404, detail);
}

async function authorizeRequest(
  request: Request,
  context: unknown,
  kind: ProxyKind,
  { authorize, limit, refusals }: ProxySettings,
  report: (error: ProxyError) => void,
): Promise<ProxyCall | Response> {
  const user = await authorize(request, context);
  if (user instanceof Response) {
    if (!user.bodyUsed && user.status > 0) return user;
    throw new Error("authorize must return a new, unused Response for each request.");
  }
  const id = readUserId(user);
  if (!user || id === undefined) {
    const message =
      "authorize must return { id } with a string that is not blank; the proxy responded with 401.";
    if (user) report({ message });
    return errorResponse(401, "The request has no authenticated user. Sign in first.");
  }
  const idempotencyKey =
    kind === "submit" ? (request.headers.get("idempotency-key") ?? "") : undefined;
  if (idempotencyKey === "" || (idempotencyKey?.length ?? 0) > maxKeyLength) {
    const detail = `Idempotency-Key must have 1 to ${maxKeyLength} characters. Without a key, a retry would be charged twice.`;
    return errorResponse(400, detail);
  }
  const call: ProxyCall = { user, kind, idempotencyKey, request };
  let verdict: unknown;
  try {
    const stopped = kind === "submit" ? await refusals?.check(id, idempotencyKey) : undefined;
    if (stopped !== undefined) return refusedTooOften(stopped);
    verdict = limit ? await limit(call) : true;
  } catch (cause) {
    const message =
      "limit or the store of maxRefusals threw an error; the proxy responded with 503. See cause.";
    report({ message, user: id, cause });
    return errorResponse(503, "The proxy could not check the limit of this user.");
  }
  if (verdict === true) return call;
  const { retryAfter }: { retryAfter?: unknown } = Object(verdict);
  const seconds =
    typeof retryAfter === "number" && retryAfter >= 0 ? retryAfter : defaultRetryAfter;
  return errorResponse(429, "This user has reached the limit of the proxy.", {
    "retry-after": headerSeconds(seconds),
  });
}

function refusedTooOften(seconds: number): Response {
  const detail =
    "The service has refused the content of too many try-ons of this user. Nothing was sent.";
  // Each retry would upload the images again.
  const content = { detail, code: tooManyRefusals, retryable: false };
  return jsonResponse(429, content, { "retry-after": headerSeconds(seconds) });
}

function headerSeconds(seconds: number): string {
  return String(Math.min(Math.ceil(seconds), maxRetryAfter));
}

/** Returns the id of a user, unless it is blank: users with an empty id would share their jobs. */
function readUserId(user: unknown): string | undefined {
  // Callers without types can return anything.
  const { id }: { id?: unknown } = Object(user);
  return typeof id === "string" && id.trim() !== "" ? id : undefined;
}
