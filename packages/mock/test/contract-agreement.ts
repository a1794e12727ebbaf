import { Ajv2020 } from "ajv/dist/2020.js";

import { openapi, schemaNamed, type Schema } from "@tryon/spec/openapi-document";
import type { Engine } from "../src/engine/engine.ts";
import { createMock } from "../src/mock.ts";
import { boundaryValues } from "./boundary-values.ts";
import { caller, tryOn } from "./caller.ts";
import { pixel } from "./images.ts";

export type Body = Readonly<Record<string, unknown>>;

/**
 * What the contract says of a body and the server answers otherwise than with 422, each for the reason that the
 * contract's own words give.
 */
const exemptions: readonly ((schema: Schema, name: string) => Schema)[] = [
  // A text that is no address is 400, as one is that cannot be fetched.
  ({ format: _format, ...schema }) => schema,
  // An unknown pack is 400.
  (schema, name) => (name === "pack_slug" ? { type: "string" } : schema),
  // A token that does not begin with spt_ is 400.
  ({ pattern: _pattern, ...schema }) => schema,
  // Sizes are read in any case, and the contract lists the two spellings that are typed.
  (schema, name) =>
    ["output_size", "resolution", "size"].includes(name)
      ? { type: "string", pattern: "^[124][kK]$" }
      : schema,
];

export function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
  // Both bodies are objects with properties, or there is nothing to hold against them and the tests fail.
  return schema["properties"] as Record<string, Schema>;
}

function exempted(schema: Schema, name: string): Schema {
  const eased = exemptions.reduce((rest, exempt) => exempt(rest, name), schema);
  // That `items` of an array is a schema is what the linter of the contract holds it to.
  const { items } = eased as { items?: Schema };
  return items === undefined ? eased : { ...eased, items: exempted(items, name) };
}

export function accepts(schema: Schema): (body: unknown) => boolean {
  const properties = Object.entries(propertiesOf(schema)).map(([name, property]) => [
    name,
    exempted(property, name),
  ]);
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  const validate = ajv.compile({
    ...schema,
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

// Hundreds of bodies are taken, and no test here looks at an image.
const engine: Engine = {
  name: "dot",
  render: async () => new Uint8Array(Buffer.from(pixel, "base64")),
};
const sendWebhook = async (): Promise<Response> => new Response();

export function server(path: string): (body: unknown) => Promise<number> {
  const mock = createMock({ clock: "manual", seed: 1, engine, latency: 0, sendWebhook });
  return async (body) => {
    const answer = caller(mock).post(path, body);
    await mock.clock.advance("90s");
    return (await answer).status;
  };
}

/** A value as a failed test shows it: the long ones cut. */
function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? "absent";
  return text.length > 80 ? `${text.slice(0, 60)}… (${text.length})` : text;
}

export function isSmall(value: unknown): boolean {
  return JSON.stringify(value).length < 20_000;
}

/** Fields with bounds of the size of an image or more, or those without. */
export function fieldsWithBounds(schema: Schema, size: "image" | "small"): readonly string[] {
  return Object.entries(propertiesOf(schema)).flatMap(([name, property]) =>
    boundaryValues(property).every(isSmall) === (size === "small") ? [name] : [],
  );
}

/** Posts a body with each value at a bound of a field, and lists where server and contract differ. */
export async function differencesAtBounds(
  { name, path, base }: (typeof bodies)[number],
  property: string,
): Promise<readonly string[]> {
  const schema = schemaNamed(name);
  const valid = accepts(schema);
  const answer = server(path);
  const differences: string[] = [];
  for (const value of [undefined, ...boundaryValues(propertiesOf(schema)[property] ?? {})]) {
    const body: Body = { ...base, [property]: value };
    const status = await answer(body);
    const expected = valid(JSON.parse(JSON.stringify(body)));
    if ((status !== 422) !== expected) {
      differences.push(`${brief(value)}: ${expected ? "valid" : "invalid"} and ${status}`);
    }
  }
  return differences;
}
