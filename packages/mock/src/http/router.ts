import type { HttpRequest, HttpResponse } from "./message.ts";
import { json } from "./responses.ts";

/** @param part decoded segment of the path at the place of `:name`, or an empty text. */
type Route = (request: HttpRequest, part: string) => HttpResponse | Promise<HttpResponse>;

interface Resource {
  readonly pattern: RegExp;
  readonly methods: Map<string, Route>;
}

/** Routes by method and path, in which `:name` is one segment that is not empty. A HEAD is a GET. */
export class Router {
  readonly #resources = new Map<string, Resource>();
  readonly #detailOf: (allow: string) => string;

  /** @param detailOf describes the error of a known path under another method. */
  constructor(detailOf: (allow: string) => string) {
    this.#detailOf = detailOf;
  }

  add(method: "GET" | "POST" | "DELETE", path: string, route: Route): void {
    const pattern = new RegExp(`^${path.replace(/:\w+/, "([^/]+)")}$`);
    const resource = this.#resources.get(path) ?? { pattern, methods: new Map() };
    this.#resources.set(path, resource);
    resource.methods.set(method, route);
  }

  get routes(): readonly string[] {
    return [...this.#resources].flatMap(([path, { methods }]) =>
      Array.from(methods.keys(), (method) => `${method} ${path}`),
    );
  }

  respond(
    request: HttpRequest,
    path = decode(request.path, decodeURI),
  ): HttpResponse | Promise<HttpResponse> | undefined {
    const exact = path.includes(":") ? undefined : this.#resources.get(path);
    if (exact !== undefined) return this.#call(exact, request, "");
    for (const resource of this.#resources.values()) {
      const found = resource.pattern.exec(path);
      if (found) return this.#call(resource, request, decode(found[1] ?? "", decodeURIComponent));
    }
    return undefined;
  }

  #call({ methods }: Resource, request: HttpRequest, part: string) {
    const { method } = request;
    const route = methods.get(method === "HEAD" ? "GET" : method);
    if (route !== undefined) return route(request, part);
    const allow = [...methods.keys(), ...(methods.has("GET") ? ["HEAD"] : [])]
      .toSorted()
      .join(", ");
    return json({ detail: this.#detailOf(allow) }, 405, { allow });
  }
}

/** Decodes a path or a part of it, which stays as it is if a sequence in it is invalid. */
export function decode(text: string, decoder: (text: string) => string): string {
  if (!text.includes("%")) return text;
  try {
    return decoder(text);
  } catch {
    return text;
  }
}
