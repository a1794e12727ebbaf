/** Which calls are meant: a method and an address, each of which may be open. */
export interface CallPattern {
  readonly method: string;
  readonly path: string;
  /** True for a call of this method at this path, which is without its query. */
  matches(method: string, path: string): boolean;
}

/** What a fault hangs on: calls to the server, or the webhooks that it sends. */
export type Target = { readonly kind: "webhook" } | ({ readonly kind: "call" } & CallPattern);

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "*"];

const grammar =
  'Write a method and a path such as "POST /api/v1/tryon", "GET /api/v1/tryon/*" or "* *": a star stands for any method, for one or more characters of a path up to the next slash, or alone for any path.';

/**
 * Reads what a fault hangs on.
 *
 * @throws TypeError or RangeError naming the field and the grammar.
 */
export function readTarget(field: string, text: unknown): Target {
  if (text === "webhook") return { kind: "webhook" };
  const pattern = readCallPattern(field, text, ' Write "webhook" for the webhooks that are sent.');
  return { kind: "call", ...pattern };
}

/** @throws TypeError or RangeError naming the field and the grammar. */
export function readCallPattern(field: string, text: unknown, more = ""): CallPattern {
  const refuse = (problem: string): never => {
    throw new RangeError(`${field}: ${problem} ${grammar}${more}`);
  };
  if (typeof text !== "string") {
    throw new TypeError(`${field} has to be a text; got ${typeof text}. ${grammar}${more}`);
  }
  const [method = "", path = "", ...rest] = text.split(" ");
  const shown = JSON.stringify(text.slice(0, 100));
  if (rest.length > 0 || path === "") return refuse(`${shown} is not a method and a path.`);
  if (!methods.includes(method)) {
    return refuse(`${shown} has no method that there is; they are ${methods.join(", ")}.`);
  }
  const problem = pathProblem(path);
  if (problem !== undefined) return refuse(`${shown} ${problem}`);
  const fits = pathMatcher(path);
  return {
    method,
    path,
    matches: (calledMethod, calledPath) =>
      (method === "*" || method === calledMethod) && fits(calledPath),
  };
}

/** Why a text is no path to match by, or undefined. */
export function pathProblem(path: string): string | undefined {
  if (path === "*") return undefined;
  if (!path.startsWith("/")) return "has a path that does not begin with a slash.";
  return /[?#]/.test(path) ? "has a query or a fragment; leave it out." : undefined;
}

type Matcher = (text: string) => boolean;

/** Compiles a path pattern to a function that decides whether a path matches it. */
export function pathMatcher(pattern: string): Matcher {
  if (pattern === "*") return () => true;
  const matchers = pattern.split("/").map(segmentMatcher);
  return (path) => {
    const segments = path.split("/");
    return (
      segments.length === matchers.length &&
      matchers.every((matches, index) => matches(segments[index] ?? ""))
    );
  };
}

/** Matches each text between two stars where it comes first. A regular expression would try every place for each. */
function segmentMatcher(pattern: string): Matcher {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    let end = first.length;
    for (const part of rest) {
      const start = text.indexOf(part, end + 1);
      if (start <= end) return false;
      end = start + part.length;
    }
    return text.startsWith(first) && text.endsWith(last) && text.length - last.length > end;
  };
}
