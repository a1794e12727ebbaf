import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { openapi, schemaNamed, type Schema } from "@tryon/spec/openapi-document";
import type { Engine } from "../engine/engine.ts";
import { createMock } from "../mock.ts";
import { boundaryValues } from "../testing/boundary-values.ts";
import { caller, tryOn } from "../testing/caller.ts";
import { dot } from "../testing/pictures.ts";
import { shows } from "../testing/shows.ts";

type Body = Readonly<Record<string, unknown>>;

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

function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
  // Both bodies are objects with properties, or there is nothing to hold against them and the tests fail.
  return schema["properties"] as Record<string, Schema>;
}

function exempted(schema: Schema, name: string): Schema {
  const eased = exemptions.reduce((rest, exempt) => exempt(rest, name), schema);
  // That `items` of an array is a schema is what the linter of the contract holds it to.
  const { items } = eased as { items?: Schema };
  return items === undefined ? eased : { ...eased, items: exempted(items, name) };
}

function accepts(schema: Schema): (body: unknown) => boolean {
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

const bodies = [
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

// Hundreds of bodies are taken, and no test here looks at a picture.
const engine: Engine = {
  name: "dot",
  render: async () => new Uint8Array(Buffer.from(dot, "base64")),
};
const sendWebhook = async (): Promise<Response> => new Response();

function server(path: string): (body: unknown) => Promise<number> {
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

describe.each(bodies)("the server and the contract's $name", ({ name, path, base }) => {
  const schema = schemaNamed(name);
  const valid = accepts(schema);

  test.each(Object.keys(propertiesOf(schema)))("agree at every bound of %s", async (property) => {
    shows("submit.validation.400-or-422", "purchase.validation.400-or-422");
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
    expect(differences).toEqual([]);
  });

  test("agree on any body made of such values", async () => {
    const answer = server(path);
    const field = fc.oneof(
      ...Object.entries(propertiesOf(schema)).map(([property, of]) =>
        fc.tuple(
          fc.constant(property),
          fc.oneof(
            { weight: 3, arbitrary: fc.constantFrom(...boundaryValues(of).filter(isSmall)) },
            // No deeper: that the JSON text of a value in metadata is counted is what a schema cannot state.
            { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
          ),
        ),
      ),
    );
    // With more fields than these nearly every body would be refused, whatever the bounds.
    const someFields = fc.array(field, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(someFields, async (fields) => {
        const body: Body = { ...base, ...Object.fromEntries(fields) };
        expect((await answer(body)) !== 422).toBe(valid(JSON.parse(JSON.stringify(body))));
      }),
      { numRuns: 300 },
    );
  });
});

function isSmall(value: unknown): boolean {
  return JSON.stringify(value).length < 20_000;
}

describe("what the contract's own words exempt from 422", () => {
  test.each([
    ["TryOnRequest", { person_url: "no address" }, 400],
    ["TryOnRequest", { webhook_url: "no address" }, 400],
    ["TryOnRequest", { garment_urls: ["no address"] }, 400],
    ["TryOnRequest", { output_size: "4k" }, 200],
    ["TryOnRequest", { size: "2k" }, 200],
    ["PurchaseWithSPTRequest", { pack_slug: "huge" }, 400],
    ["PurchaseWithSPTRequest", { shared_payment_granted_token: "tok_1" }, 400],
  ])("is answered in %s with %j by %i", async (name, fields, status) => {
    const body = bodies.find((candidate) => candidate.name === name);
    expect(await server(body?.path ?? "")({ ...body?.base, ...fields })).toBe(status);
  });
});
