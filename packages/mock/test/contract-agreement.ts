import { Ajv2020 } from "ajv/dist/2020.js";

import { openapi, schemaNamed, type Schema } from "@tryon/spec/openapi-document";
import type { Engine } from "../src/engine/engine.ts";
import { createMock } from "../src/mock.ts";
import { boundaryValues } from "./boundary-values.ts";
import { caller, tryOn } from "./caller.ts";
import { pixel } from "./images.ts";

export type Body = Readonly<Record<string, unknown>>;

/** Rules of the contract whose violation is not a 422, each with the reason in the contract. */
const exemptions: readonly ((schema: Schema, name: string) => Schema)[] = [
  // An invalid URL is 400, like one that cannot be fetched.
  ({ format: _format, ...schema }) => schema,
  // An unknown pack is 400.
  (schema, name) => (name === "pack_slug" ? { type: "string" } : schema),
  // A token that does not begin with spt_ is 400.
  ({ pattern: _pattern, ...schema }) => schema,
  // Sizes have any case.
  (schema, name) =>
    ["output_size", "resolution", "size"].includes(name)
      ? { type: "string", pattern: "^[124][kK]$" }
      : schema,
];

export function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
  // Both bodies are objects with properties.
  return schema["properties"] as Record<string, Schema>;
}

function exempted(schema: Schema, name: string): Schema {
  const eased = exemptions.reduce((rest, exempt) => exempt(rest, name), schema);
  // The linter of the contract checks that `items` is a schema.
  const { items } = eased as { items?: Schema };
  return items === undefined ? eased : { ...eased, items: exempted(items, name) };
}

export function accepts(schema: Schema): (body: unknown) => boolean {
  const properties = Object.entries(propertiesOf(schema)).map(([name, property]) => [
    name,
    exempted(property, name),
  ]);
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  // A missing person or garment is 400.
  const { if: _if, then: _then, ...fieldRules } = schema;
  const validate = ajv.compile({
    ...fieldRules,
    properties: Object.fromEntries(properties) as unknown,
    components: openapi.components,
  });
  return (body) => validate(body);
}

export const bodies = [
  {
    name: "TryOnRequest",
    path: "/api/v1/tryon",
    base: tryOn(),
  },
  {
    name: "PurchaseWithSPTRequest",
    path: "/api/v1/credits/purchase",
    base: { pack_slug: "demo", shared_payment_granted_token: "spt_1" },
  },
] as const;

// These tests render hundreds of images and check none.
const engine: Engine = {
  name: "dot",
  render: async () => new Uint8Array(Buffer.from(pixel, "base64")),
};
const sendWebhook = async (): Promise<Response> => new Response();

export function server(path: string): (body: unknown) => Promise<number> {
  const mock = createMock({ clock: "manual", seed: 1, engine, latency: 0, sendWebhook });
  return async (body) => {
    const response = caller(mock).post(path, body);
    await mock.clock.advance("90s");
    return (await response).status;
  };
}

/** Shortens a value for the message of a failed test. */
function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? "absent";
  return text.length > 80 ? `${text.slice(0, 60)}… (${text.length})` : text;
}

export function isSmall(value: unknown): boolean {
  // The text of an image has millions of characters.
  return (typeof value === "string" ? value : JSON.stringify(value)).length < 20_000;
}

/** Lists fields with bounds of the size of an image, or the other fields. */
export function fieldsWithBounds(schema: Schema, size: "image" | "small"): readonly string[] {
  return Object.entries(propertiesOf(schema)).flatMap(([name, property]) =>
    boundaryValues(property).every(isSmall) === (size === "small") ? [name] : [],
  );
}

/** Posts a body with each value at a bound of a field, and lists differences between server and contract. */
export async function differencesAtBounds(
  { name, path, base }: (typeof bodies)[number],
  property: string,
): Promise<readonly string[]> {
  const schema = schemaNamed(name);
  const valid = accepts(schema);
  const send = server(path);
  const differences: string[] = [];
  for (const value of [undefined, ...boundaryValues(propertiesOf(schema)[property] ?? {})]) {
    const body: Body = { ...base, [property]: value };
    const status = await send(body);
    const expected = valid(JSON.parse(JSON.stringify(body)));
    if ((status !== 422) !== expected) {
      differences.push(`${brief(value)}: ${expected ? "valid" : "invalid"} and ${status}`);
    }
  }
  return differences;
}
