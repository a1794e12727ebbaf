import { isDeepStrictEqual } from "node:util";

import { markerOf } from "../record/exchange.ts";
import { type Seen } from "../seen/seen.ts";
import { isEnd } from "../submission.ts";
import { elementsOf, fieldsOf, type Fields } from "../wire/response.ts";

export interface Difference {
  readonly kind: "status" | "content" | "header" | "field" | "value" | "state";
  readonly name: string;
  readonly what: string;
}

export type SentPair = readonly [recorded: Fields, replayed: Fields];

/** Headers of a connection, of proxies, or of a moment. They say nothing about the service. */
const ignoredHeaders =
  /^(?:access-control-.*|age|alt-svc|cache-control|connection|content-(?:encoding|length|security-policy|type)|date|etag|expires|keep-alive|last-modified|server|set-cookie|strict-transport-security|transfer-encoding|vary|via|x-content-type-options|x-frame-options|x-mock.*|\(.*|name-.*)$/;

/** Fields whose recorded values follow from the request, so that they are the same at each deployment. */
const sameValues = new Set([
  "test_mode",
  "cost_credits",
  "tryon_cost_credits.1K",
  "tryon_cost_credits.2K",
  "tryon_cost_credits.4K",
  "result_content_type",
  "pack_slug",
  "output_size",
  "event",
]);

/** Fields whose values depend on whether a key is live. */
const valuesOfMode = new Set(["test_mode", "cost_credits"]);

const anyFields = new Set(["input", "ctx", "metadata"]);

/**
 * Compares the status, the form of the content, the names of headers, the names and types of fields, and the values that
 * follow from the request.
 *
 * @param sent - Submission of the job in the responses, if it was repeated.
 */
export function differences(
  recorded: Seen,
  replayed: Seen,
  sent: SentPair | undefined,
): readonly Difference[] {
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
  const [state, newState] = [recorded.got["status"], replayed.got["status"]];
  // The fields of a job depend on its state.
  if (recorded.status === 200 && state !== newState && (isEnd(state) || isEnd(newState))) {
    const what = `status is ${String(newState)} instead of ${String(state)}`;
    return [...found, { kind: "state", name: "status", what }];
  }
  const fields = fieldDifferences(
    "",
    recorded.exchange.response?.body,
    replayed.exchange.response?.body,
  );
  const isModeKnown = /^(?:live|test)-/.test(recorded.key ?? "");
  found.push(...fields.filter(({ name }) => isModeKnown || !valuesOfMode.has(name)));
  if (recorded.status === 422) found.push(...problemDifferences(recorded, replayed));
  if (sent !== undefined) found.push(...jobDifferences(recorded.got, replayed.got, sent));
  return found;
}

function problemDifferences(recorded: Seen, replayed: Seen): readonly Difference[] {
  const [types, newTypes] = [problemTypes(recorded), problemTypes(replayed)];
  return [...new Set([...types.keys(), ...newTypes.keys()])].flatMap((path) => {
    const [type, newType] = [types.get(path), newTypes.get(path)];
    if (type === newType) return [];
    const [name, what] =
      type === undefined
        ? ["detail[].loc", `detail has ${path} (${newType})`]
        : newType === undefined
          ? ["detail[].loc", `detail lacks ${path} (${type})`]
          : ["detail[].type", `detail of ${path} has the type ${newType} instead of ${type}`];
    return [{ kind: "value", name, what }];
  });
}

function problemTypes({ got, exchange }: Seen): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  for (const problem of elementsOf(got["detail"]).map(fieldsOf)) {
    // Positions in a body that is not JSON depend on its text, which is not recorded.
    const isText = markerOf(exchange.request.body) !== undefined;
    const parts = elementsOf(problem["loc"]).filter((part) => !isText || typeof part !== "number");
    const path = parts.map(textOf).join(".");
    types.set(path, `${types.get(path) ?? ""} ${textOf(problem["type"])}`.trim());
  }
  return types;
}

function textOf(value: unknown): string {
  return markerOf(value) ? "…" : String(value);
}

function jobDifferences(got: Fields, newGot: Fields, [sent, newSent]: SentPair): Difference[] {
  const found = ["seed", "metadata"].flatMap((name): Difference[] => {
    const isEchoed = (sent[name] ?? null) !== null && isDeepStrictEqual(got[name], sent[name]);
    const isSame = !(name in newGot) || isDeepStrictEqual(newGot[name], newSent[name]);
    return !isEchoed || isSame
      ? []
      : [{ kind: "value", name, what: `${name} is not as submitted` }];
  });
  const [pixels, newPixels] = [pixelsOf(got), pixelsOf(newGot)];
  // The ratio of the sides can follow the image of the person, which is another one.
  const isOther = !(newPixels < 2 * pixels && newPixels > pixels / 2);
  if (pixels > 0 && isOther && "result_width" in newGot && "result_height" in newGot) {
    const what = `the result has ${newPixels} pixels instead of ${pixels}`;
    found.push({ kind: "value", name: "result_width", what });
  }
  return found;
}

function pixelsOf({ result_width: width, result_height: height }: Fields): number {
  return Number(width ?? 0) * Number(height ?? 0);
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
    if (recorded === replayed || !sameValues.has(path)) return [];
    const what = `${name} is ${String(replayed)} instead of ${String(recorded)}`;
    return [{ kind: "value", name, what }];
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
