import type { Hono } from "hono";

import { html, json } from "../../http/responses.ts";
import { statusNames } from "../../http/schemas.ts";
import type { JobStatus } from "../../store/records.ts";
import type { ServerState } from "../server-states.ts";
import { badRequest, ControlError, readQuery, type ControlledMock } from "./input.ts";
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

/**
 * Adds the routes of the control page.
 *
 * @param currentState Returns the current state of the server once it has its default keys.
 */
export function addPageRoutes(
  app: Hono,
  mock: ControlledMock,
  currentState: () => Promise<ServerState>,
): void {
  const generations = new WeakMap<ServerState, number>();
  let lastGeneration = 0;

  app.get("/state", async ({ req }) => {
    const { status, job: jobId } = readQuery(req.url, ["status", "job"]);
    if (status !== undefined && !isStatus(status)) {
      return badRequest(`status must be one of ${statusNames.join(", ")}; omit it for all jobs.`);
    }
    const state = await currentState();
    const generation = generations.get(state) ?? (lastGeneration += 1);
    generations.set(state, generation);
    return json(stateView(mock, state, generation, { status, jobId }));
  });

  app.get("/images/:file", async ({ req }) => {
    const jobId = /^(.+)\.png$/.exec(req.param("file"))?.[1];
    const { jobs } = (await currentState()).service;
    const bytes = jobId === undefined ? undefined : await jobs.result(jobId);
    if (bytes === undefined) throw new ControlError(404, "Unknown image.");
    return new Response(bytes, { headers: { "content-type": "image/png" } });
  });
}

function isStatus(text: string): text is JobStatus {
  return statusNames.includes(text);
}
