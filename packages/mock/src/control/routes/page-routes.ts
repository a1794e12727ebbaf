import type { Hono } from "hono";

import { html, json } from "../../http/responses.ts";
import { statusNames } from "../../http/schemas.ts";
import type { JobStatus } from "../../store/records.ts";
import type { ServerState } from "../server-states.ts";
import { readQuery } from "./input.ts";
import { stateView, type StateParts } from "./state-view.ts";

/** What the page's routes stand on. */
export interface PageParts {
  readonly mock: StateParts["mock"];
  /** The epoch that is running, once its keys are there. */
  readonly current: () => Promise<ServerState>;
}

/**
 * The control page for people. It is the same text for everybody and knows nothing yet, so that it may be opened from
 * anywhere; what it asks for afterwards is for itself alone.
 */
export function addPage(app: Hono): void {
  app.get("/", async ({ req }) => {
    const { pathname } = new URL(req.url);
    if (!pathname.endsWith("/")) {
      return new Response(null, { status: 302, headers: { location: `${pathname}/` } });
    }
    // Only whoever opens the page needs its text in memory.
    const { page, contentSecurityPolicy } = await import("../../generated/control-page.ts");
    return html(page, 200, {
      "content-security-policy": contentSecurityPolicy,
      "referrer-policy": "no-referrer",
    });
  });
}

/** What the page lives on. */
export function addPageRoutes(app: Hono, parts: PageParts): void {
  const numberOf = epochNumbers();
  app.get("/state", async ({ req }) => {
    const { status, job } = readQuery(req.url, ["status", "job"]);
    if (status !== undefined && !isStatus(status)) {
      const detail = `status has to be one of ${statusNames.join(", ")}; leave it out for all.`;
      return json({ detail }, 400);
    }
    const epoch = await parts.current();
    const about = { mock: parts.mock, epoch, epochNumber: numberOf(epoch) };
    return json(stateView(about, { status, jobId: job }), 200);
  });
  app.get("/images/:file", async ({ req }) => {
    const jobId = /^(.+)\.png$/.exec(req.param("file"))?.[1];
    const { jobs } = (await parts.current()).service;
    const bytes = jobId === undefined ? undefined : await jobs.result(jobId);
    if (bytes === undefined) return json({ detail: "There is no such image." }, 404);
    return new Response(bytes, { headers: { "content-type": "image/png" } });
  });
}

function isStatus(text: string): text is JobStatus {
  return statusNames.includes(text);
}

/** Numbers epochs in the order in which they are first seen. */
function epochNumbers(): (epoch: ServerState) => number {
  const numbers = new WeakMap<ServerState, number>();
  let last = 0;
  return (epoch) => {
    const number = numbers.get(epoch) ?? (last += 1);
    numbers.set(epoch, number);
    return number;
  };
}
