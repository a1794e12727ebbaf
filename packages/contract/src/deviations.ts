import type { HttpResponse } from "./wire/response.ts";

/** A deviation from the document that an open point explains: it is observed, and not broken. */
export interface Deviation {
  /** The option of the reference server that explains it. */
  readonly option: string;
  readonly what: string;
}

interface Explanation extends Deviation {
  readonly fits: (answer: HttpResponse, problem: string) => boolean;
}

const isHtml = ({ headers }: HttpResponse): boolean =>
  (headers.get("content-type") ?? "").startsWith("text/html");

const path = ({ call }: HttpResponse): string => new URL(call.url).pathname;

const explanations: readonly Explanation[] = [
  {
    option: "oversize",
    what: "413 with text/html for a body over 64 MiB",
    fits: (answer) => answer.status === 413 && isHtml(answer),
  },
  {
    option: "syncCut",
    what: "504 with text/html for a held call",
    fits: (answer) => answer.status === 504 && isHtml(answer) && path(answer) === "/api/v1/tryon",
  },
  {
    option: "slashRedirect",
    what: "307 for an address with a trailing slash",
    fits: (answer) => answer.status === 307 && path(answer).endsWith("/"),
  },
  {
    option: "sparseSubmit",
    what: "an answer to a submission without cost_credits",
    fits: ({ call }, problem) =>
      call.method === "POST" && problem.includes("required property 'cost_credits'"),
  },
  {
    option: "timeFormat",
    what: "times that do not end in Z",
    fits: (_answer, problem) => /^\S*(created|completed)_at must match format/.test(problem),
  },
  {
    option: "rateHeaders",
    what: "429 without X-RateLimit-*",
    fits: ({ status }, problem) => status === 429 && problem.includes("header x-ratelimit"),
  },
];

/** The open point that explains why an answer is not as the document says, if one does. */
export function explain(answer: HttpResponse, problem: string): Deviation | undefined {
  return explanations.find(({ fits }) => fits(answer, problem));
}
