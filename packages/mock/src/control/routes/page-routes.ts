import type { Hono } from "hono";

import { html, json } from "../../http/responses.ts";
import { ServiceError } from "../../service/service-error.ts";
import { host } from "../../system/host.ts";
import type { ServerState } from "../server-states.ts";
import { readQuery, type ControlledMock } from "./input.ts";
import { stateView } from "./state-view.ts";

/** Adds the control page. It holds no data, so pages of other origins may link to it. */
export function addPage(app: Hono): void {
  app.get("/", async ({ req }) => {
    const { pathname } = new URL(req.url);
    if (!pathname.endsWith("/")) {
      return new Response(null, { status: 302, headers: { location: `${pathname}/` } });
    }
    // The text of the page is large, so only a request for it loads it.
    const { page, contentSecurityPolicy } = await import("../../generated/control-page.ts");
    return html(page, 200, {
      "content-security-policy": contentSecurityPolicy,
      "referrer-policy": "no-referrer",
    });
  });
}

/** Adds the routes of the control page. */
export function addPageRoutes(
  app: Hono,
  mock: ControlledMock,
  currentState: () => ServerState,
): void {
  const generations = new WeakMap<ServerState, number>();
  // A page that stays open distinguishes this server from an earlier one at the same URL.
  let lastGeneration = host.now();

  app.get("/state", async ({ req }) => {
    readQuery(req.url, []);
    const state = currentState();
    const generation = generations.get(state) ?? (lastGeneration += 1);
    generations.set(state, generation);
    return json(stateView(mock, state, generation));
  });

  app.get("/images/:file", async ({ req }) => {
    const jobId = /^(.+)\.png$/.exec(req.param("file"))?.[1];
    const { jobs } = currentState().service;
    const bytes = jobId === undefined ? undefined : await jobs.result(jobId);
    if (bytes === undefined) throw new ServiceError("not-found", "Unknown image.");
    return new Response(bytes, { headers: { "content-type": "image/png" } });
  });
}
