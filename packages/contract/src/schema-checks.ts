import type { HttpResponse, SentRequest } from "./wire/response.ts";
import { operationOf, operations } from "./wire/document.ts";
import { sourceOf } from "./wire/gateway.ts";

export interface Shape {
  readonly id: string;
  readonly operation: string;
  readonly status: number;
  count: number;
  readonly problems: { readonly text: string; readonly request: SentRequest }[];
}

export const maxBodyBytes = 64 * 1024 * 1024;

/** Deviation from the document that an open point explains, so that no check fails. */
export type Deviation = readonly [
  what: string,
  fits: (response: HttpResponse, problem: string) => boolean,
];

export type Deviations = ReadonlyMap<string, Deviation>;

/** Statuses that any path may have, even if the document lists them nowhere. */
const anywhere = new Set([404, 405]);

export class SchemaChecks {
  readonly #shapes = new Map<string, Shape>();
  readonly explained = new Map<string, string>();
  readonly #prefix: string;

  readonly #deviations: Deviations;

  constructor(baseUrl: string, deviations: Deviations) {
    this.#deviations = deviations;
    this.#prefix = new URL(baseUrl).pathname.replace(/\/+$/, "");
    for (const { title, responses } of operations) {
      for (const status of responses.keys()) this.#shape(title, status);
    }
  }

  get shapes(): readonly Shape[] {
    return [...this.#shapes.values()];
  }

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

  #explain(response: HttpResponse, problem: string): boolean {
    const found = [...this.#deviations].find(([, [, fits]]) => fits(response, problem));
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
