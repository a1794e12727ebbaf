import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "@tryon/test-kit/repository";
import * as fc from "fast-check";
import { expect, expectTypeOf, it } from "vitest";
import type { components } from "@tryon/spec/openapi";
import { sign, verify, type EventFields } from "../index.ts";

type Contract = components["schemas"]["TryOnCompletedEvent"];

interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly $ref?: string;
}

const secret = "whsec_test";
// The tests of the contract check its form.
const document = JSON.parse(readFileSync(join(root, "spec/openapi.json"), "utf8")) as {
  components: {
    schemas: Readonly<Record<string, FieldSchema>> & {
      TryOnCompletedEvent: {
        properties: Readonly<Record<keyof Contract, FieldSchema>>;
        required: readonly string[];
      };
    };
    requestBodies: {
      TryOnCompleted: {
        content: { "application/json": { examples: Record<string, { value: unknown }> } };
      };
    };
  };
};
const { properties, required } = document.components.schemas.TryOnCompletedEvent;
const { examples } = document.components.requestBodies.TryOnCompleted.content["application/json"];

/** Fields without which the library rejects an event. The contract requires all fields of a sender. */
const needed = ["event", "job_id", "status"];

async function received(fields: unknown): Promise<unknown> {
  const body = JSON.stringify(fields);
  const headers = { "X-Service-Signature": await sign({ body, secret }) };
  return verify({ body, headers, secrets: secret });
}

/** Draws any value that the contract allows for a field. */
function allowed(schema: FieldSchema): fc.Arbitrary<unknown> {
  const named = document.components.schemas[schema.$ref?.split("/").at(-1) ?? ""];
  const { type = [], const: only, enum: choices, pattern } = named ?? schema;
  if (only !== undefined) return fc.constant(only);
  if (choices !== undefined) return fc.constantFrom(...choices);
  return fc.oneof(
    ...[type].flat().map((name): fc.Arbitrary<unknown> => {
      if (name === "string") return pattern ? fc.stringMatching(new RegExp(pattern)) : fc.string();
      if (name === "integer") return fc.nat();
      if (name === "null") return fc.constant(null);
      throw new Error(`This test does not support the field type ${name}.`);
    }),
  );
}

it("has a type with every event of the contract", () => {
  expectTypeOf<Contract>().toExtend<EventFields>();
  expectTypeOf<keyof EventFields>().toEqualTypeOf<keyof Contract>();
  expect(required.toSorted()).toEqual(Object.keys(properties).toSorted());
});

it.each(Object.entries(examples))("returns the example %s unchanged", async (_, { value }) => {
  expect(await received(value)).toStrictEqual(value);
});

it("returns the fields of every event of the contract, and null for each field that a sender omits and the URL of a failed job", async () => {
  const entries = Object.entries(properties).map(([name, schema]) => [name, allowed(schema)]);
  // One arbitrary for each field of the contract.
  const fields = Object.fromEntries(entries) as Record<string, fc.Arbitrary<unknown>>;
  const events = fc.record(fields, { requiredKeys: [...needed] });
  const missing = Object.fromEntries(Object.keys(properties).map((name) => [name, null]));
  const property = fc.asyncProperty(events, async (event) => {
    const url = event["status"] === "failed" && { result_url: null };
    expect(await received(event)).toStrictEqual({ ...missing, ...event, ...url });
  });
  await fc.assert(property, { numRuns: 500 });
});

it.each(needed)("rejects an event without %s", async (name) => {
  const { [name]: removed, ...rest } = { ...Object(examples["succeeded"]?.value) };
  expect(removed).toBeDefined();
  await expect(received(rest)).rejects.toMatchObject({ code: "invalid_event" });
});
