import { Hono } from "hono";

import { errorResponse, json, refuseOtherMethods } from "../../http/responses.ts";
import { ServiceError } from "../../service/service-error.ts";
import { WaitTimeout } from "../journal.ts";
import { addControlRoutes } from "./control-routes.ts";
import type { ControlledMock } from "./input.ts";
import { addPage, addPageRoutes, type ControlContext } from "./page-routes.ts";
import { addRecordRoutes } from "./record-routes.ts";

/** Path of the control API. Its requests are not requests to the service. */
export const controlPath = "/__mock";

export function isControlRequest({ url }: Request): boolean {
  // Every request passes here, so only a URL that contains the path is parsed.
  if (!url.includes(controlPath)) return false;
  const { pathname } = new URL(url);
  return pathname === controlPath || pathname.startsWith(`${controlPath}/`);
}

/**
 * Creates the control API: the methods of `Mock` over HTTP, in snake_case JSON. It requires no key, and no fault or
 * journal applies to it. The clock may advance during a request.
 */
export function createControlApp(
  mock: ControlledMock,
  { mark, ...server }: ControlContext & { readonly mark: string },
): { fetch: (request: Request) => Promise<Response> } {
  const root = new Hono({ strict: false });
  const app = root.basePath(controlPath);
  app.use(async (context, next) => {
    await next();
    const { headers } = context.res;
    headers.set("X-Mock", mark);
    headers.set("Cache-Control", "no-store");
    headers.set("X-Content-Type-Options", "nosniff");
  });
  addPage(app);
  app.use(async (context, next) => {
    refuseOtherOrigins(context.req.raw);
    await next();
  });
  addPageRoutes(app, mock, server);
  addControlRoutes(app, mock);
  addRecordRoutes(app, mock);
  const routes = refuseOtherMethods(root, (allow) => `The methods of this URL are ${allow}.`);
  const known = routes.map(({ method, path }) => `${method} ${path}`).join(", ");
  app.all("*", () => {
    return json({ detail: `Unknown URL of the control API. Its requests are ${known}.` }, 404);
  });
  app.onError((error) => {
    if (error instanceof WaitTimeout) return json({ detail: error.message }, 408);
    return errorResponse(error, mock.options);
  });
  return { fetch: async (request) => app.fetch(request) };
}

/** Any page in a browser on this machine can send requests to the server. @throws ServiceError `forbidden` */
function refuseOtherOrigins({ url, headers }: Request): void {
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  const isOwn =
    origin === null || (URL.canParse(origin) && new URL(origin).host === new URL(url).host);
  if (isOwn && (site === null || site === "same-origin" || site === "none")) return;
  throw new ServiceError(
    "forbidden",
    "Pages of other origins cannot control the server; send this request from the test itself, or from the page under /__mock/.",
  );
}
