import type { Handler, HttpRequest, HttpResponse } from "../../http/message.ts";
import { errorResponse, json } from "../../http/responses.ts";
import { decode, Router } from "../../http/router.ts";
import { ServiceError } from "../../service/service-error.ts";
import { WaitTimeout } from "../journal.ts";
import { addControlRoutes } from "./control-routes.ts";
import type { ControlledMock } from "./input.ts";
import { addPage, addPageRoutes, type ControlContext } from "./page-routes.ts";
import { addRecordRoutes } from "./record-routes.ts";

/** Path of the control API. Its requests are not requests to the service. */
export const controlPath = "/__mock";

export function isControlRequest({ path }: HttpRequest): boolean {
  return path.startsWith(controlPath) && /^(\/|$)/.test(path.slice(controlPath.length));
}

/**
 * Creates the control API: the methods of `Mock` over HTTP, in snake_case JSON. It requires no key, and no fault or
 * journal applies to it. The clock may advance during a request.
 */
export function createControlApp(
  mock: ControlledMock,
  { mark, ...server }: ControlContext & { readonly mark: string },
): Handler {
  const router = new Router((allow) => `The methods of this URL are ${allow}.`);
  addPage(router);
  addPageRoutes(router, mock, server);
  addControlRoutes(router, mock);
  addRecordRoutes(router, mock);
  const unknown = `Unknown URL of the control API. Its requests are ${router.routes.join(", ")}.`;
  const respond = async (request: HttpRequest): Promise<HttpResponse> => {
    try {
      const path = decode(request.path.replace(/\/$/, ""), decodeURI);
      const isPage = path === controlPath && ["GET", "HEAD"].includes(request.method);
      if (!isPage) refuseOtherOrigins(request);
      return (await router.respond(request, path)) ?? json({ detail: unknown }, 404);
    } catch (error) {
      if (error instanceof WaitTimeout) return json({ detail: error.message }, 408);
      return errorResponse(error, mock.options);
    }
  };
  return async (request) => {
    const response = await respond(request);
    response.headers["x-mock"] = mark;
    response.headers["cache-control"] = "no-store";
    response.headers["x-content-type-options"] = "nosniff";
    return request.method === "HEAD" ? { ...response, body: null } : response;
  };
}

/** Any page in a browser on this machine can send requests to the server. @throws ServiceError `forbidden` */
function refuseOtherOrigins(request: HttpRequest): void {
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  const isOwn =
    origin === null ||
    (URL.canParse(origin) && new URL(origin).host === new URL(request.origin).host);
  if (isOwn && (site === null || site === "same-origin" || site === "none")) return;
  throw new ServiceError(
    "forbidden",
    "Pages of other origins cannot control the server; send this request from the test itself, or from the page under /__mock/.",
  );
}
