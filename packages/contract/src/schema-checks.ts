import type { HttpResponse, SentRequest } from "./wire/response.ts";
import { operationOf, operations } from "./wire/document.ts";
import { sourceOf } from "./wire/gateway.ts";

/** Result of all responses with one status of one operation. */
export interface Shape {
  /** Such as `responses.GET /api/v1/account.200`. */
  readonly id: string;
  readonly operation: string;
  readonly status: number;
  /** Number of responses. */
  count: number;
  /** Distinct deviations from the document. */
  readonly problems: { readonly text: string; readonly request: SentRequest }[];
}

/** Maximum length of a body that the service reads. */
export const maxBodyBytes = 64 * 1024 * 1024;

/** Returns true for a deviation from the document that an open point explains, so that no check fails. */
type Explains = (response: HttpResponse, problem: string) => boolean;

/** Deviations that open points explain, by the option of the reference server. */
const explanations: Readonly<Record<string, readonly [what: string, fits: Explains]>> = {
  oversize: [
    "413 with text/html for a body over 64 MiB",
    (response) =>
      response.status === 413 &&
      isHtml(response) &&
      (response.request.body ?? "").length > maxBodyBytes,
  ],
  syncCut: [
    "504 with text/html for a synchronous request",
    (response) =>
      response.status === 504 && isHtml(response) && pathOf(response) === "/api/v1/tryon",
  ],
  slashRedirect: [
    "307 for a path with a trailing slash",
    (response) => response.status === 307 && pathOf(response).endsWith("/"),
  ],
  sparseSubmit: [
    "a response to a submission without cost_credits",
    ({ request }, problem) =>
      request.method === "POST" && problem.includes("required property 'cost_credits'"),
  ],
  timeFormat: [
    "times that do not end in Z",
    (_response, problem) => /^\S*(created|completed)_at must match format/.test(problem),
  ],
  wrongContentType: [
    "415 for another content type",
    ({ status }, problem) => status === 415 && problem.includes("lacks the status"),
  ],
  discoveryKey: [
    "401 or 403 for discovery without a key",
    (response, problem) =>
      pathOf(response) === "/api/discovery" &&
      /lacks the status 40[13]/.test(problem) &&
      response.request.headers["authorization"] === undefined,
  ],
  rateHeaders: [
    "429 without X-RateLimit-*",
    ({ status }, problem) => status === 429 && problem.includes("header x-ratelimit"),
  ],
};

/** Statuses that any path may have, even if the document lists them nowhere. */
const anywhere = new Set([404, 405]);

/** Checks every response against `spec/openapi.json`. */
export class SchemaChecks {
  readonly #shapes = new Map<string, Shape>();
  /** Explained deviations so far, by the option that explains them. */
  readonly explained = new Map<string, string>();
  /** Start of each path of the deployment. */
  readonly #prefix: string;

  constructor(baseUrl: string) {
    this.#prefix = new URL(baseUrl).pathname.replace(/\/+$/, "");
    for (const { title, responses } of operations) {
      for (const status of responses.keys()) this.#shape(title, status);
    }
  }

  get shapes(): readonly Shape[] {
    return [...this.#shapes.values()];
  }

  /** Adds a response, and returns the deviations that no open point explains. */
  check(response: HttpResponse): readonly string[] {
    const { request, status } = response;
    const { pathname } = new URL(request.url);
    if (!pathname.startsWith(this.#prefix) || request.method === "HEAD") return [];
    const operation = operationOf(request.method, pathname.slice(this.#prefix.length));
    if (operation === undefined) {
      this.#explain(response, "The document lacks this path.");
      return [];
    }
    const findProblems = operation.responses.get(status);
    if (findProblems === undefined && anywhere.has(status)) return [];
    const shape = this.#shape(operation.title, status);
    shape.count += 1;
    const problems = findProblems?.(response) ?? [`the document lacks the status ${status}`];
    const source = sourceOf(response);
    const unexplained = problems.filter((text) => !this.#explain(response, text));
    for (const text of unexplained) {
      if (shape.problems.every((problem) => problem.text !== `${text}${source}`)) {
        shape.problems.push({ text: `${text}${source}`, request });
      }
    }
    return unexplained.map((text) => `${shape.operation} ${status}: ${text}`);
  }

  /** Returns true if an open point explains a deviation. */
  #explain(response: HttpResponse, problem: string): boolean {
    const found = Object.entries(explanations).find(([, [, fits]]) => fits(response, problem));
    if (found === undefined) return false;
    const [option, [what]] = found;
    this.explained.set(option, what);
    return true;
  }

  #shape(operation: string, status: number) {
    const id = `responses.${operation}.${status}`;
    const shape = this.#shapes.get(id) ?? { id, operation, status, count: 0, problems: [] };
    this.#shapes.set(id, shape);
    return shape;
  }
}

function isHtml({ headers }: HttpResponse): boolean {
  return (headers.get("content-type") ?? "").startsWith("text/html");
}

function pathOf({ request }: HttpResponse): string {
  return new URL(request.url).pathname;
}
