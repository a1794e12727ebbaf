import type { Service } from "../service/service.ts";
import type { HttpResponse } from "./message.ts";
import type { Router } from "./router.ts";

/** Adds the route of signed result URLs. As at object stores, it takes no key and its errors are XML. */
export function addResultRoutes(router: Router, service: Service): void {
  const { expiredStatus } = service.options;
  router.add("GET", "/results/:file", async (request, file) => {
    if (request.headers.get("authorization") !== null) {
      return xml(400, "InvalidArgument", "The URL is signed; send no Authorization header.");
    }
    const problem = service.results.problem(request, service.now());
    if (problem !== undefined) {
      const refusal =
        problem === "expired"
          ? xml(expiredStatus, "AccessDenied", "The URL has expired.")
          : xml(expiredStatus, "SignatureDoesNotMatch", "The signature does not match.");
      return { ...refusal, rule: "job.result-url.expired-answer" };
    }
    const body = await service.jobs.result(file.replace(/\.png$/, ""));
    if (body === undefined) return xml(404, "NoSuchKey", "The image does not exist.");
    const headers = { "content-type": "image/png", "content-length": String(body.length) };
    return { status: 200, headers, body };
  });
}

function xml(status: number, code: string, message: string): HttpResponse {
  return {
    status,
    headers: { "content-type": "application/xml" },
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
  };
}
