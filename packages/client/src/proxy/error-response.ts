/** Validation error of a body, in the format of the service. */
export interface BodyIssue {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** Creates a JSON response that caches must not store. */
export function jsonResponse(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
  });
}

/** Creates an error response in the service's format, which proves to clients that the request had no effect. */
export function errorResponse(
  status: number,
  detail: string | readonly BodyIssue[],
  headers: Readonly<Record<string, string>> = {},
): Response {
  return jsonResponse(status, { detail }, headers);
}

/** Creates the same response for jobs that do not exist and for jobs of other users. */
export function jobNotFound(): Response {
  return errorResponse(404, "Job not found.");
}
