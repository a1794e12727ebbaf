import type { Schema } from "./openapi-document.ts";

const keywords = ["const", "format", "contentEncoding", "minLength", "maxLength", "pattern"];
const bounds = ["minimum", "maximum", "minItems", "maxItems", "maxProperties", "default"];

/** The name or the type of a schema, `a | b` for several. */
export function kindOf(schema: Schema): string {
  if (typeof schema["$ref"] === "string") return schema["$ref"].split("/").at(-1) ?? "";
  if (Array.isArray(schema["anyOf"])) {
    const kinds = schema["anyOf"].map((one: Schema) =>
      "enum" in one || "additionalProperties" in one ? notation(one) : kindOf(one),
    );
    return kinds.join(" | ");
  }
  return [schema["type"] ?? "anything"].flat().map(String).join(" | ");
}

/** The properties of a schema: name, schema, whether required. */
export function propertiesOf(schema: Schema): readonly (readonly [string, Schema, boolean])[] {
  const required = new Set([schema["required"] ?? []].flat());
  // The values of `properties` are schemas, as the keyword says.
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, Schema>>;
  return Object.entries(properties).map(([name, field]) => [name, field, required.has(name)]);
}

/** A schema in one line, for tables that people can compare with the service's own. */
export function notation(schema: Schema, required = false): string {
  const { items, additionalProperties: more, propertyNames: names } = schema;
  const named = propertiesOf(schema).map(
    ([name, field, always]) => `${name} ${notation(field, always)}`,
  );
  return [
    kindOf(schema) + (required ? "!" : ""),
    ...[...keywords, ...bounds]
      .filter((keyword) => keyword in schema)
      .map((keyword) => `${keyword} ${String(schema[keyword])}`),
    ...(Array.isArray(schema["enum"]) ? [`one of ${schema["enum"].join(" ")}`] : []),
    ...(schema["deprecated"] === true ? ["deprecated"] : []),
    // The values of these keywords are schemas, `true` aside.
    ...(names === undefined ? [] : [`named (${notation(names as Schema)})`]),
    ...(items === undefined ? [] : [`of (${notation(items as Schema)})`]),
    ...(more === true ? ["open"] : []),
    ...(typeof more === "object" ? [`open to (${notation(more as Schema)})`] : []),
    ...(named.length > 0 ? [`of (${named.join(", ")})`] : []),
  ].join(", ");
}
