import type { Hono } from "hono";

import type { Service } from "../service/service.ts";
import { mark } from "./marks.ts";

/** Adds the route of signed result URLs. As at object stores, it takes no key and its errors are XML. */
export function addResultRoutes(app: Hono, service: Service): void {
  const { expiredStatus } = service.options;
  app.get("/results/:file", async ({ req }) => {
    if (req.header("authorization") !== undefined) {
      return xml(400, "InvalidArgument", "The URL is signed; send no Authorization header.");
    }
    const problem = service.results.problem(new URL(req.url), service.now());
    if (problem !== undefined) {
      const refusal =
        problem === "expired"
          ? xml(expiredStatus, "AccessDenied", "The URL has expired.")
          : xml(expiredStatus, "SignatureDoesNotMatch", "The signature does not match.");
      return mark(refusal, { rule: "job.result-url.expired-answer" });
    }
    const bytes = await service.jobs.result(req.param("file").replace(/\.png$/, ""));
    if (bytes === undefined) return xml(404, "NoSuchKey", "The image does not exist.");
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
