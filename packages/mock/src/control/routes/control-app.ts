import { Hono } from "hono";

import { json } from "../../http/responses.ts";
import type { Mock } from "../../mock-interface.ts";
import { addBehaviourRoutes } from "./behaviour-routes.ts";
import { ControlError } from "./input.ts";
import { addKeyRoutes } from "./key-routes.ts";
import { addPage, addPageRoutes } from "./page-routes.ts";
import { addRecordRoutes } from "./record-routes.ts";
import { addTimeRoutes } from "./time-routes.ts";
import type { ServerState } from "../server-states.ts";

/** What of a server is steered from outside. */
export type Steered = Omit<Mock, "fetch" | "close">;

/** Where a server is steered from; calls there are no calls to the service. */
export const controlPath = "/__mock";

/** Whether a call is one of the control API. */
export function isControlCall({ url }: Request): boolean {
  // Reading the address is left to the few calls that may be one: every call passes here.
  if (!url.includes(controlPath)) return false;
  const { pathname } = new URL(url);
  return pathname === controlPath || pathname.startsWith(`${controlPath}/`);
}

/**
 * The control API: what `Mock` offers in process, over HTTP and in JSON with snake_case. It stands beside the service and
 * not in it: no key is asked for, no fault strikes, the journal takes no note, and time may move while a call is answered.
 */
export function createControlApp(
  mock: Steered,
  { mark, current }: { mark: string; current: () => Promise<ServerState> },
): { fetch: (request: Request) => Promise<Response> } {
  const app = new Hono({ strict: false }).basePath(controlPath);
  app.use(async (context, next) => {
    await next();
    const { headers } = context.res;
    headers.set("X-Mock", mark);
    headers.set("Cache-Control", "no-store");
    headers.set("X-Content-Type-Options", "nosniff");
  });
  addPage(app);
  app.use(async (context, next) => {
    refuseStrangers(context.req.raw);
    await next();
  });
  addPageRoutes(app, { mock, current });
  addTimeRoutes(app, mock);
  addKeyRoutes(app, mock);
  addBehaviourRoutes(app, mock);
  addRecordRoutes(app, mock);
  const routes = app.routes.filter(({ method, path }) => method !== "ALL" && path !== "*");
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = routes.filter((route) => route.path === path).map((route) => route.method);
    const allow = methods.includes("GET") ? [...methods, "HEAD"] : methods;
    app.all(path.slice(controlPath.length), () =>
      json({ detail: `This address takes ${allow.join(", ")}.` }, 405, { allow: allow.join(", ") }),
    );
  }
  app.all("*", () => {
    const known = routes.map(({ method, path }) => `${method} ${path}`).join(", ");
    return json({ detail: `There is no such control call; there are ${known}.` }, 404);
  });
  app.onError((error) => {
    if (error instanceof ControlError) return json({ detail: error.message }, error.status);
    throw error;
  });
  return { fetch: async (request) => app.fetch(request) };
}

/**
 * Any page that a browser on this machine shows can call this address, so what comes from a page that the server did not
 * send itself is refused.
 *
 * @throws ControlRefusal 403
 */
function refuseStrangers({ url, headers }: Request): void {
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  const own = origin === null || hostOf(origin) === new URL(url).host;
  if (own && (site === null || site === "same-origin" || site === "none")) return;
  throw new ControlError(
    403,
    "The server is not steered by pages of other origins; call this address from the test itself, or from the page under /__mock/.",
  );
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
