import { explain, type Deviation } from "./deviations.ts";
import type { HttpResponse, SentRequest } from "./wire/response.ts";
import { operationOf, operations } from "./wire/document.ts";

/** What came of holding every answer with one status of one operation against the document. */
export interface Shape {
  /** Such as `responses.GET /api/v1/account.200`. */
  readonly id: string;
  readonly operation: string;
  readonly status: number;
  /** How many answers were looked at. */
  readonly seen: number;
  /** What was wrong with them, each thing once. */
  readonly problems: readonly { readonly text: string; readonly call: SentRequest }[];
}

/** Statuses that any address may have without the document's saying so at each. */
const anywhere = new Set([404, 405]);

/** Holds every answer against `spec/openapi.json`, whatever it was asked for. */
export class SchemaChecks {
  readonly #shapes = new Map<
    string,
    Shape & { seen: number; problems: Shape["problems"][number][] }
  >();
  readonly #explained = new Map<string, Deviation>();

  /** What the paths of the deployment begin with. */
  readonly #prefix: string;

  constructor(baseUrl: string) {
    this.#prefix = new URL(baseUrl).pathname.replace(/\/+$/, "");
    for (const { title, answers } of operations) {
      for (const status of answers.keys()) this.#shape(title, status);
    }
  }

  get shapes(): readonly Shape[] {
    return [...this.#shapes.values()];
  }

  /** The deviations that open points explain. */
  get explained(): readonly Deviation[] {
    return [...this.#explained.values()];
  }

  look(answer: HttpResponse): void {
    const { method, url } = answer.call;
    const { pathname } = new URL(url);
    if (!pathname.startsWith(this.#prefix)) return;
    const operation = operationOf(method, pathname.slice(this.#prefix.length));
    if (method === "HEAD") return;
    if (operation === undefined) {
      this.#note(explain(answer, "The document knows no such address."));
      return;
    }
    const { status } = answer;
    const documented = operation.answers.get(status);
    if (documented === undefined && anywhere.has(status)) return;
    const shape = this.#shape(operation.title, status);
    shape.seen += 1;
    const problems =
      documented === undefined
        ? [`${status} is no status that the document has here`]
        : [
            ...typeProblems(answer, documented.types),
            ...documented.headers
              .filter((name) => answer.headers.get(name) === null)
              .map((name) => `the header ${name} is missing`),
            ...documented.problems(answer.json ?? null),
          ];
    for (const text of problems) {
      const explained = explain(answer, text);
      this.#note(explained);
      if (explained === undefined && shape.problems.every((problem) => problem.text !== text)) {
        shape.problems.push({ text, call: answer.call });
      }
    }
  }

  #note(explained: Deviation | undefined): void {
    if (explained !== undefined) this.#explained.set(explained.what, explained);
  }

  #shape(operation: string, status: number) {
    const id = `responses.${operation}.${status}`;
    const shape = this.#shapes.get(id) ?? { id, operation, status, seen: 0, problems: [] };
    this.#shapes.set(id, shape);
    return shape;
  }
}

function typeProblems({ headers }: HttpResponse, types: readonly string[]): string[] {
  const type = (headers.get("content-type") ?? "").split(";", 1)[0]?.trim() ?? "";
  if (types.length === 0 || types.includes(type)) return [];
  return [`the content type is ${type === "" ? "missing" : type}, and not ${types.join(" or ")}`];
}
