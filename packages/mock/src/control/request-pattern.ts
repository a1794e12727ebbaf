import { OptionsError, show } from "@tryon/shared/options";

export interface RequestPattern {
  readonly method: string;
  readonly path: string;
  matches(method: string, path: string): boolean;
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "*"];

const grammar =
  'Write a method and a path such as "POST /api/v1/tryon", "GET /api/v1/tryon/*" or "* *". A star matches any method, one or more characters of a path up to the next slash, or alone any path.';

/** Returns undefined for the target `webhook`. @throws TypeError that names the field and the grammar. */
export function parseTarget(field: string, text: unknown): RequestPattern | undefined {
  if (text === "webhook") return undefined;
  return parseRequestPattern(field, text, ' Write "webhook" for webhooks.');
}

export function parseRequestPattern(field: string, text: unknown, more = ""): RequestPattern {
  if (typeof text !== "string") {
    throw new OptionsError(field, `must be a text; got ${show(text)}`, `${grammar}${more}`);
  }
  const [method = "", path = "", ...rest] = text.split(" ");
  const problem =
    rest.length > 0 || path === ""
      ? "is not a method and a path"
      : methods.includes(method)
        ? pathProblem(path)
        : `has an unknown method; the methods are ${methods.join(", ")}`;
  if (problem !== undefined) {
    throw new OptionsError(field, `${show(text)} ${problem}`, `${grammar}${more}`);
  }
  const matchesPath = pathMatcher(path);
  return {
    method,
    path,
    matches: (requestMethod, requestPath) =>
      (method === "*" || method === requestMethod) && matchesPath(requestPath),
  };
}

export function pathProblem(path: string): string | undefined {
  if (path === "*") return undefined;
  if (!path.startsWith("/")) return "has a path that does not begin with a slash";
  return /[?#]/.test(path) ? "has a query or a fragment; leave it out" : undefined;
}

type Matcher = (text: string) => boolean;

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

/** Matches each text between two stars at its first position. A regular expression would backtrack. */
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
