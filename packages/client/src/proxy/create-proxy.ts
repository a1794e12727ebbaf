import { admit } from "./admit.ts";
import { fulfil } from "./fulfil.ts";
import type { ProxyKind, ProxyOptions, ProxyError, ProxyUser } from "./options.ts";
import { originOf, preflight, readableBy } from "./origin.ts";
import { refuse } from "./refusal.ts";
import { findRoute } from "./route.ts";
import { checkOptions, resolveUpstream, type Upstream } from "./settings.ts";

/** A fetch handler that lets pages make try-ons. What comes beside the request goes to `authorize`. */
export type Proxy<Context = unknown> = (
  request: Request,
  ...rest: unknown extends Context ? [context?: unknown] : [context: Context]
) => Promise<Response>;

/**
 * Makes a fetch handler through which pages use the service without a key: `new TryOn({ proxyUrl })` in the page, this on
 * the server, for every runtime that has `Request` and `Response`. It offers `POST …/api/v1/tryon` and
 * `GET …/api/v1/tryon/{job_id}` below `basePath`, to visitors that `authorize` lets in, each of whom sees only jobs of
 * their own. It keeps nothing between two requests, so that any number of instances can stand side by side.
 *
 * Of a request, nothing reaches the service but the fields that are allowed by name. Pages of other sites are refused.
 *
 * @throws `invalid_config` without `authorize` or for an option that cannot be, and for a key or an address that is given
 * and is none; `unsafe_environment` when the key would be at risk. What is read from the environment is looked at with
 * the first request, which is then answered with 500.
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
  const own = { ...options };
  const bounds = checkOptions(own);
  let resolved: Upstream | undefined;
  const upstream = (): Upstream => (resolved ??= resolveUpstream(own));
  if (own.apiKey !== undefined && own.baseUrl !== undefined) upstream();
  const { origins = [], onError = logTrouble } = own;

  const answer = async (request: Request, context: Context): Promise<Response> => {
    let kind: ProxyKind | undefined;
    const report = (trouble: ProxyError): void => {
      try {
        onError({ kind, ...trouble });
      } catch {
        // What listens to a request never ends it.
      }
    };
    try {
      const { pathname } = new URL(request.url);
      if (request.method === "OPTIONS") {
        return typeof originOf(request, origins) === "object" ? preflight() : refuseForeign();
      }
      const route = findRoute(request.method, pathname, bounds.basePath);
      ({ kind } = route);
      if (route.kind === undefined) return refuseUnknown(route.allow, bounds.basePath);
      if (isClosed(route.kind, own.allow)) {
        return refuse(
          404,
          `The proxy keeps ${request.method} of this address closed (see its option allow).`,
        );
      }
      if (originOf(request, origins) === "foreign") return refuseForeign();
      const authorize = () => own.authorize(request, context);
      const admitted = await admit(request, route.kind, authorize, own.limit, report);
      if (admitted instanceof Response) return admitted;
      return await fulfil(route.id, admitted, { ...own, bounds, upstream: upstream() }, report);
    } catch (cause) {
      // Whoever left hears no answer, and nobody has anything to mend.
      if (request.signal.aborted) return refuse(499, "The visitor is gone.");
      report({ message: "The proxy failed: look at the cause.", cause });
      return refuse(500, "The proxy failed.");
    }
  };
  // It is missing only where its type is unknown.
  return async (request, ...[context]) =>
    readableBy(originOf(request, origins), await answer(request, context as Context));
}

function isClosed(kind: ProxyKind, allow: ProxyOptions["allow"] = {}): boolean {
  return kind !== "submit" && kind !== "get" && allow[kind] !== true;
}

function refuseUnknown(allow: string | undefined, basePath: string): Response {
  return allow === undefined
    ? refuse(404, `Not Found. The proxy has ${basePath}/api/v1/tryon (see its option basePath).`)
    : refuse(405, "Method Not Allowed", { allow });
}

function refuseForeign(): Response {
  return refuse(403, "Pages of other sites may not use this proxy (see its option origins).");
}

/** Says what is the operator's to mend where operators look, for those who pass no `onError`. */
function logTrouble(trouble: ProxyError): void {
  // oxlint-disable-next-line no-console
  console.error("@tryon/client/proxy:", trouble.message, trouble.cause ?? "");
}
