import type { Hono } from "hono";

import type { Site } from "./calls.ts";

/** Signed addresses of images, answered as object stores answer them: no key, and XML when something is wrong. */
export function addResultRoutes(app: Hono, site: Site): void {
  const { service } = site;
  app.get("/results/:file", async (context) => {
    if (context.req.header("authorization") !== undefined) {
      return xml(400, "InvalidArgument", "The address is signed; send no Authorization header.");
    }
    const problem = service.results.problem(new URL(context.req.url), service.now());
    if (problem !== undefined) {
      const expired = problem === "expired";
      const message = expired ? "The address has expired." : "The signature does not match.";
      return xml(
        service.options.expiredStatus,
        expired ? "AccessDenied" : "SignatureDoesNotMatch",
        message,
      );
    }
    const jobId = context.req.param("file").replace(/\.png$/, "");
    const bytes = await service.jobs.result(jobId);
    if (bytes === undefined) return xml(404, "NoSuchKey", "There is no such image.");
    return new Response(bytes, {
      headers: { "content-type": "image/png", "content-length": String(bytes.length) },
    });
  });
}

function xml(status: number, code: string, message: string): Response {
  return new Response(
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
    { status, headers: { "content-type": "application/xml" } },
  );
}
