import { markerOf } from "../record/exchange.ts";
import { type Seen } from "../observe/seen.ts";
import { isEnd } from "../submission.ts";
import { elementsOf, fieldsOf } from "../wire/response.ts";

/** Difference between a recorded response and that of the target. */
export interface Difference {
  readonly kind: "status" | "content" | "header" | "field";
  /** Status, name of a header, or path of a field. */
  readonly name: string;
  readonly what: string;
}

/** Headers of a connection, of proxies, or of a moment. They say nothing about the service. */
const ignoredHeaders =
  /^(?:access-control-.*|age|alt-svc|cache-control|connection|content-(?:encoding|length|security-policy|type)|date|etag|expires|keep-alive|last-modified|server|set-cookie|strict-transport-security|transfer-encoding|vary|via|x-content-type-options|x-frame-options|x-mock.*|\(.*|name-.*)$/;

/** Fields whose recorded values follow from the request, so that they are the same at each deployment. */
const sameValues = new Set([
  "test_mode",
  "result_content_type",
  "pack_slug",
  "output_size",
  "event",
]);

/** Fields with values of any type. */
const anyFields = new Set(["input", "ctx", "metadata"]);

/** Compares the status, the form of the content, the names of headers, and the names and types of fields. */
export function differences(recorded: Seen, replayed: Seen): readonly Difference[] {
  if (recorded.status !== replayed.status) {
    const what = `status ${replayed.status} instead of ${recorded.status}`;
    return [{ kind: "status", name: String(recorded.status), what }];
  }
  const found: Difference[] = [];
  const [type, newType] = [mediaType(recorded), mediaType(replayed)];
  if (type !== newType) {
    found.push({ kind: "content", name: "content-type", what: `${newType} instead of ${type}` });
  }
  found.push(...headerDifferences(recorded, replayed));
  found.push(
    ...fieldDifferences("", recorded.exchange.response?.body, replayed.exchange.response?.body),
  );
  return found;
}

/** If true, the job of one response has ended and that of the other has not, which changes their fields. */
export function isAtOtherState(recorded: Seen, replayed: Seen): boolean {
  const [one, other] = [recorded.got["status"], replayed.got["status"]];
  return (
    recorded.status === 200 &&
    replayed.status === 200 &&
    one !== other &&
    (isEnd(one) || isEnd(other))
  );
}

function headerDifferences(recorded: Seen, replayed: Seen): readonly Difference[] {
  return namesDiffer(headerNames(recorded), headerNames(replayed)).map(({ name, isNew }) => ({
    kind: "header",
    name,
    what: `header ${name} is ${isNew ? "new" : "missing"}`,
  }));
}

function headerNames({ headers }: Seen): readonly string[] {
  return Object.keys(headers).filter((name) => !ignoredHeaders.test(name));
}

function fieldDifferences(path: string, recorded: unknown, replayed: unknown): Difference[] {
  const [type, newType] = [typeOf(recorded), typeOf(replayed)];
  // Null is a value that is not known yet.
  if (type === "null" || newType === "null" || type === "none" || newType === "none") return [];
  const name = path === "" ? "the body" : path;
  if (type !== newType) {
    return [{ kind: "field", name, what: `${name} is of type ${newType} instead of ${type}` }];
  }
  if (type === "array") {
    const [one, other] = [merged(elementsOf(recorded)), merged(elementsOf(replayed))];
    return fieldDifferences(`${path}[]`, one, other);
  }
  if (type !== "object") {
    const isSame = recorded === replayed || !sameValues.has(path);
    return isSame ? [] : [{ kind: "field", name, what: `${name} has another value` }];
  }
  const [fields, newFields] = [fieldsOf(recorded), fieldsOf(replayed)];
  const pathOf = (field: string): string => (path === "" ? field : `${path}.${field}`);
  return [
    ...namesDiffer(namesOf(fields), namesOf(newFields)).map(({ name: field, isNew }) => ({
      kind: "field" as const,
      name: pathOf(field),
      what: `${pathOf(field)} is ${isNew ? "new" : "missing"}`,
    })),
    ...Object.keys(fields).flatMap((field) =>
      field in newFields && !anyFields.has(field)
        ? fieldDifferences(pathOf(field), fields[field], newFields[field])
        : [],
    ),
  ];
}

/** Merges the objects of a list, so that each of their fields is compared once. Other elements are compared by the first. */
function merged(elements: readonly unknown[]): unknown {
  if (elements.some((element) => typeOf(element) !== "object")) return elements[0];
  if (elements.length === 0) return undefined;
  const all: Record<string, unknown> = {};
  for (const element of elements) {
    for (const [name, value] of Object.entries(fieldsOf(element))) all[name] ??= value;
  }
  return all;
}

/** Names, without those that are aliases: they differ in each recording. */
function namesOf(fields: object): readonly string[] {
  return Object.keys(fields).filter((name) => !name.startsWith("name-"));
}

function namesDiffer(
  recorded: readonly string[],
  replayed: readonly string[],
): readonly { readonly name: string; readonly isNew: boolean }[] {
  return [
    ...recorded.filter((name) => !replayed.includes(name)).map((name) => ({ name, isNew: false })),
    ...replayed.filter((name) => !recorded.includes(name)).map((name) => ({ name, isNew: true })),
  ];
}

function typeOf(value: unknown): string {
  if (value === undefined) return "none";
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const marker = markerOf(value);
  if (marker === undefined) return typeof value;
  if (marker.kind === "number" || marker.kind === "boolean") return marker.kind;
  return ["html", "plain", "json", "invalid-json", "other"].includes(marker.kind)
    ? marker.kind
    : "string";
}

function mediaType({ headers }: Seen): string {
  return (headers["content-type"] ?? "no content type").split(";", 1)[0]?.trim() ?? "";
}
