/** One problem of a body, as the service lists them. */
export interface BodyIssue {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** An answer of the proxy, which nothing on the way may keep. */
export function answerJson(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
  });
}

/** A refusal in the form of the service's own, by which clients know that nothing was done. */
export function refuse(
  status: number,
  detail: string | readonly BodyIssue[],
  headers: Readonly<Record<string, string>> = {},
): Response {
  return answerJson(status, { detail }, headers);
}

/** The same answer for every job that a visitor does not have, whether there is one or not. */
export function noSuchJob(): Response {
  return refuse(404, "Job not found.");
}
