import { schemaNamed, type Schema } from "@tryon/spec/openapi-document";

/** One or more values of every JSON type. */
const oneOfEachType: readonly unknown[] = [null, true, 0, 1.5, "text", [], ["text"], {}];

/**
 * Returns values at and past each bound of a schema, and values of each JSON type.
 *
 * @throws Error for an unknown keyword.
 */
export function boundaryValues(schema: Schema): readonly unknown[] {
  return [
    ...oneOfEachType,
    ...Object.entries(schema).flatMap(([keyword, of]) => values(keyword, of)),
  ];
}

function values(keyword: string, of: unknown): readonly unknown[] {
  switch (keyword) {
    case "maxLength":
      return [...texts(of), ...texts(Number(of) + 1)];
    case "minLength":
      return [...texts(of), ...texts(Number(of) - 1)];
    case "maxItems":
      return [of, Number(of) + 1].map((count) => Array.from({ length: Number(count) }, () => "a"));
    case "items":
      return oneOfEachType.flatMap((value) => [[value], ["a", value]]);
    case "minimum":
    case "maximum":
      return [-1, -0.5, 0, 0.5, 1].map((difference) => Number(of) + difference);
    case "enum":
      return [...list(of), ...list(of).map((value) => `${String(value)} `), ""];
    case "maxProperties":
      return [keys(Number(of)), keys(Number(of) + 1)];
    case "propertyNames":
      return boundaryValues(object(of)).flatMap((name) =>
        typeof name === "string" ? [{ [name]: 1 }] : [],
      );
    case "additionalProperties":
      return boundaryValues(object(of)).map((value) => ({ key: value }));
    case "anyOf":
      return list(of).flatMap((each) => boundaryValues(object(each)));
    case "$ref":
      return boundaryValues(schemaNamed(String(of).split("/").at(-1) ?? ""));
    case "pattern":
      return ["spt_1", "spt_", "tok_1", " spt_1"];
    case "format":
      return ["https://a.example/p.png", "invalid URL"];
    case "contentEncoding":
      return ["AAAA", "?"];
    case "type":
    case "description":
    case "default":
    case "deprecated":
    case "x-alias-of":
    case "x-credits":
    case "x-open":
    case "x-packs":
      return [];
    default:
      throw new Error(`Add the bound of ${keyword} to boundary-values.ts.`);
  }
}

/** Strings of a number of characters; the emoji is one character and two UTF-16 units. */
function texts(length: unknown): readonly string[] {
  return ["x", "👗"].map((letter) => letter.repeat(Math.max(0, Number(length))));
}

function keys(count: number): Record<string, number> {
  return Object.fromEntries(
    Array.from({ length: count }, (_unused, index) => [`key${index}`, index]),
  );
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function object(value: unknown): Schema {
  // Callers pass only keywords whose value is a schema.
  return value as Schema;
}
