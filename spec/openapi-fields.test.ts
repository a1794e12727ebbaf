import { describe, expect, it } from "vitest";
import { openapi, problems, schemaNamed } from "./openapi-document.ts";
import { notation, propertiesOf } from "./schema-notation.ts";

// The service's tables of fields, in the words of schema-notation.ts. `!` marks a required field.
const tables: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  TryOnRequest: {
    person_url: "string | null, format uri, maxLength 2000",
    person_image_b64: "string | null, contentEncoding base64, maxLength 14000000",
    garment_urls: "array, maxItems 3, of (string, format uri)",
    garment_images_b64: "array, maxItems 3, of (string, contentEncoding base64)",
    output_size: "OutputSizeInput",
    prompt: "string | null, maxLength 1000",
    style_hint: "string | null, maxLength 500, deprecated",
    negative_prompt: "string | null, maxLength 500",
    wait: "boolean",
    webhook_url: "string | null, format uri, maxLength 2000",
    metadata: "MetadataInput | null",
    seed: "integer | null, minimum 0, maximum 2147483647",
    resolution: "OutputSizeInput",
    size: "OutputSizeInput",
    mode: "string, one of sync async",
    person: "string | null, format uri, maxLength 2000",
    model_url: "string | null, format uri, maxLength 2000",
    input_url: "string | null, format uri, maxLength 2000",
    garments: "array, maxItems 3, of (string, format uri)",
    clothing: "array, maxItems 3, of (string, format uri)",
    items: "array, maxItems 3, of (string, format uri)",
  },
  TryOnSubmitResponse: {
    job_id: "JobId!",
    status: "JobStatus!",
    result_url: "string | null",
    cost_credits: "integer!, minimum 0",
    credits_remaining: "integer | null, minimum 0",
    seed: "integer | null",
    metadata: "object, open | null",
    test_mode: "boolean, default false",
    error_code: "string | null",
    error_message: "string | null",
    message: "string | null",
  },
  TryOnJobStatus: {
    job_id: "JobId!",
    status: "JobStatus!",
    result_url: "string | null",
    result_width: "integer | null, minimum 1",
    result_height: "integer | null, minimum 1",
    result_bytes: "integer | null, minimum 1",
    result_content_type: "string | null",
    seed: "integer | null",
    metadata: "object, open | null",
    error_code: "string | null",
    error_message: "string | null",
    cost_credits: "integer!, minimum 0",
    duration_ms: "integer | null",
    created_at: "string | null, format date-time",
    completed_at: "string | null",
  },
  TryOnListResponse: {
    jobs: "array!, of (TryOnJobStatus)",
    next_cursor: "string | null",
  },
  AccountResponse: {
    name: "string | null!",
    credits_remaining: "integer!",
    rate_limit_per_min: "integer!",
    total_calls: "integer!",
    tryon_cost_credits: "object!, open to (integer), of (1K integer!, 2K integer!, 4K integer!)",
  },
  PurchaseWithSPTRequest: {
    pack_slug: "PackSlug!",
    shared_payment_granted_token: "string!, minLength 4, maxLength 200, pattern ^spt_",
  },
  PurchaseWithSPTResponse: {
    payment_intent_id: "string!",
    status: "string!",
    pack_slug: "string!",
    credits_added: "integer!, minimum 0",
    credits_remaining: "integer!, minimum 0",
    next_action: "object, open | null",
  },
  ErrorResponse: { detail: "string!" },
  HTTPValidationError: { detail: "array!, of (ValidationError)" },
  ValidationError: {
    loc: "array!, of (string | integer)",
    msg: "string!",
    type: "string!",
    input: "anything",
    ctx: "object, open",
  },
  DiscoveryResponse: { capabilities: "object!, open, of (agentic_commerce anything!)" },
  ApiDescription: {
    openapi: "string!, pattern ^3\\.1\\.",
    info: "object!, open, of (title string!, version string!)",
  },
  TryOnCompletedEvent: {
    event: "string!, const tryon.completed",
    job_id: "JobId!",
    status: "string!, one of succeeded failed",
    result_url: "string | null!",
    error_code: "string | null!",
    error_message: "string | null!",
    duration_ms: "integer!",
    completed_at: "string!",
  },
};

const others = {
  OutputSizeInput: "OutputSize | string, one of 1k 2k 4k",
  MetadataInput:
    "object, maxProperties 8, named (string, maxLength 256), open to (anything, maxLength 256)",
  OutputSize: "string, one of 1K 2K 4K",
  JobStatus: "string, one of queued running succeeded failed",
  PackSlug: "string, one of demo starter pro scale enterprise",
  JobId: "string, pattern ^job_[a-zA-Z0-9]+$",
};

describe("fields of the contract", () => {
  it.each(Object.entries(tables))("%s has exactly the fields of its table", (name, table) => {
    const written = propertiesOf(schemaNamed(name)).map(([field, schema, required]) => [
      field,
      notation(schema, required),
    ]);
    expect(Object.fromEntries(written)).toEqual(table);
  });

  it.each(Object.entries(others))("%s is what its row says", (name, expected) => {
    expect(notation(schemaNamed(name), false)).toBe(expected);
  });

  it.each(Object.keys(tables))("%s is an object", (name) => {
    expect(problems(schemaNamed(name), "text")).toEqual(["type at /"]);
  });

  it("names the canonical field of each alias", () => {
    const aliases = propertiesOf(schemaNamed("TryOnRequest")).flatMap(([field, schema]) =>
      "x-alias-of" in schema ? [`${field} of ${String(schema["x-alias-of"])}`] : [],
    );
    expect(aliases).toEqual([
      "resolution of output_size",
      "size of output_size",
      "mode of wait",
      ...["person", "model_url", "input_url"].map((alias) => `${alias} of person_url`),
      ...["garments", "clothing", "items"].map((alias) => `${alias} of garment_urls`),
    ]);
  });

  it("says where more properties are welcome", () => {
    for (const name of ["TryOnRequest", "DiscoveryResponse", "ApiDescription"]) {
      expect(schemaNamed(name)["additionalProperties"]).toBe(true);
    }
  });

  const person = { person_url: "https://shop.example/ada.jpg" };
  const garments = ["https://shop.example/shirt.png"];

  it.each([
    ...["person_url", "person_image_b64", "person", "model_url", "input_url"].map((name) => ({
      [name]: person.person_url,
      garment_urls: garments,
    })),
    ...["garment_urls", "garment_images_b64", "garments", "clothing", "items"].map((name) => ({
      ...person,
      [name]: garments,
    })),
    // A schema cannot count in two arrays.
    { ...person, garment_urls: garments, garment_images_b64: Array(3).fill("AAAA") },
    { ...person, person_image_b64: null, garment_urls: [], items: garments },
  ])("the request has a person and a garment under any name: %j", (body) => {
    expect(problems(schemaNamed("TryOnRequest"), body)).toEqual([]);
  });

  it.each([
    {},
    person,
    { garment_urls: garments },
    { person_url: null, garment_urls: garments },
    { person_url: "", garment_urls: garments },
    { person_url: "http://shop.example/ada.jpg", garment_urls: garments },
    { ...person, garment_urls: ["http://shop.example/shirt.png"] },
    { ...person, garment_urls: [] },
  ])("the request lacks a person or a garment: %j", (body) => {
    expect(problems(schemaNamed("TryOnRequest"), body)).toContain("anyOf at /");
  });

  it("the request has no default, which a parser would add beside an alias that means another", () => {
    expect(JSON.stringify(schemaNamed("TryOnRequest"))).not.toContain('"default"');
  });

  it("the request combines no schemas where generators read them", () => {
    // Generators of parsers and of tools for agents lose fields or headers beside allOf, anyOf or oneOf.
    expect(Object.keys(schemaNamed("TryOnRequest"))).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(?:all|any|one)Of$/)]),
    );
    expect(JSON.stringify(openapi)).not.toContain('"oneOf"');
  });

  it("closes no object", () => {
    expect(JSON.stringify(openapi)).not.toContain('"additionalProperties":false');
  });

  it("every schema is in a table", () => {
    expect(Object.keys(openapi.components.schemas).toSorted()).toEqual(
      [...Object.keys(tables), ...Object.keys(others)].toSorted(),
    );
  });

  it("every schema and every field is described", () => {
    const bare = Object.entries(openapi.components.schemas).flatMap(([name, schema]) => [
      ...(schema["description"] === undefined ? [name] : []),
      ...propertiesOf(schema)
        .filter(([, field]) => !("description" in field) && !("$ref" in field))
        .map(([field]) => `${name}.${field}`),
    ]);
    expect(bare).toEqual([]);
  });
});
