import { describe, expect, test } from "vitest";

import type { Options } from "../options.ts";
import { manualServer } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";

const dress = "👗";
const stringType = { type: "string_type", msg: "Input should be a valid string" };
const listType = { type: "list_type", msg: "Input should be a valid list" };
const intType = { type: "int_type", msg: "Input should be a valid integer" };
const boolType = { type: "bool_type", msg: "Input should be a valid boolean" };
const dictType = { type: "dict_type", msg: "Input should be a valid dictionary" };
const fraction = {
  type: "int_from_float",
  msg: "Input should be a valid integer, got a number with a fractional part",
};
const tooLow = {
  type: "greater_than_equal",
  msg: "Input should be greater than or equal to 0",
  ctx: { ge: 0 },
};
const tooHigh = {
  type: "less_than_equal",
  msg: "Input should be less than or equal to 2147483647",
  ctx: { le: 2_147_483_647 },
};
const literal = (expected: string) => ({
  type: "literal_error",
  msg: `Input should be ${expected}`,
  ctx: { expected },
});
const tooLong = (max: number) => ({
  type: "string_too_long",
  msg: `String should have at most ${max} characters`,
  ctx: { max_length: max },
});
const tooMany = (field_type: string, max: number, count: number) => ({
  type: "too_long",
  msg: `${field_type} should have at most ${max} items after validation, not ${count}`,
  ctx: { field_type, max_length: max, actual_length: count },
});
const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_unused, index) => [`key${index}`, index]));

describe("an invalid body", () => {
  test.each([
    ["person_url", 5, ["person_url"], stringType],
    ["person_url", `https://a.example/${"x".repeat(2_000)}`, ["person_url"], tooLong(2_000)],
    ["person", {}, ["person"], stringType],
    ["input_url", [], ["input_url"], stringType],
    ["garment_urls", "https://a.example/g.png", ["garment_urls"], listType],
    ["garment_urls", null, ["garment_urls"], listType],
    ["garment_urls", ["https://a.example/g.png", 1], ["garment_urls", 1], stringType],
    ["garment_urls", ["1", "2", "3", "4"], ["garment_urls"], tooMany("List", 3, 4)],
    ["garment_images_b64", ["1", "2", "3", "4"], ["garment_images_b64"], tooMany("List", 3, 4)],
    ["garment_images_b64", [null], ["garment_images_b64", 0], stringType],
    ["items", ["1", "2", "3", "4"], ["items"], tooMany("List", 3, 4)],
    ["prompt", "x".repeat(1_001), ["prompt"], tooLong(1_000)],
    ["style_hint", "x".repeat(501), ["style_hint"], tooLong(500)],
    ["negative_prompt", dress.repeat(501), ["negative_prompt"], tooLong(500)],
    ["wait", "true", ["wait"], boolType],
    ["wait", 1, ["wait"], boolType],
    ["wait", null, ["wait"], boolType],
    ["webhook_url", `https://a.example/${"x".repeat(2_000)}`, ["webhook_url"], tooLong(2_000)],
    ["seed", "7", ["seed"], intType],
    ["seed", true, ["seed"], intType],
    ["seed", -1, ["seed"], tooLow],
    ["seed", 2_147_483_648, ["seed"], tooHigh],
    ["seed", 1e300, ["seed"], tooHigh],
    ["seed", 1.5, ["seed"], fraction],
    ["metadata", [], ["metadata"], dictType],
    ["metadata", "a", ["metadata"], dictType],
    ["metadata", keys(9), ["metadata"], tooMany("Dictionary", 8, 9)],
    ["metadata", { a: "x".repeat(257) }, ["metadata", "a"], tooLong(256)],
    ["metadata", { a: ["x".repeat(253)] }, ["metadata", "a"], tooLong(256)],
    ["metadata", { ["k".repeat(257)]: 1 }, ["metadata", "k".repeat(257), "[key]"], tooLong(256)],
    ["output_size", "8K", ["output_size"], literal("'1K', '2K' or '4K'")],
    ["output_size", null, ["output_size"], stringType],
    ["resolution", 2, ["resolution"], stringType],
    ["mode", "later", ["mode"], literal("'sync' or 'async'")],
  ])("gets a 422 for %s %j", async (field, value, loc, problem) => {
    covers(
      "request.types.strictness",
      "request.person-url.max-length",
      "request.garment-urls.max-items",
      "request.garment-images-b64.max-items",
      "request.output-size.values",
      "request.prompt.max-length",
      "request.style-hint.max-length",
      "request.negative-prompt.max-length",
      "request.wait.default",
      "request.webhook-url.max-length",
      "request.metadata.max-keys",
      "request.metadata.max-length",
      "request.metadata.what-is-counted",
      "request.seed.range",
      "validation-error.detail.array",
      "validation-error.loc.path",
      "validation-error.msg.string",
      "validation-error.type.string",
      "validation-error.ctx.object",
      "submit.validation.400-or-422",
    );
    const { mock, call } = manualServer();
    const refused = await call.submit({ [field]: value });
    expect(refused.status).toBe(422);
    expect(refused.problems).toHaveLength(1);
    const [found] = refused.problems;
    expect(found).toMatchObject({ ...problem, loc: ["body", ...loc] });
    expect(found?.ctx).toEqual("ctx" in problem ? problem.ctx : undefined);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(1_000);
  });

  test("gets all of its problems at once, with those of the header", async () => {
    covers(
      "validation-error.detail.array",
      "validation-error.loc.path",
      "submit.idempotency-key.max-length",
    );
    const { call } = manualServer();
    const refused = await call.submit(
      { seed: -1, wait: "yes", garment_urls: [1, 2], metadata: { a: "x".repeat(300) } },
      { "idempotency-key": "k".repeat(201) },
    );
    expect(refused.status).toBe(422);
    expect(refused.problems.map(({ loc, type }) => [loc.join("."), type])).toEqual(
      expect.arrayContaining([
        ["header.Idempotency-Key", "string_too_long"],
        ["body.seed", "greater_than_equal"],
        ["body.wait", "bool_type"],
        ["body.garment_urls.0", "string_type"],
        ["body.garment_urls.1", "string_type"],
        ["body.metadata.a", "string_too_long"],
      ]),
    );
    expect(refused.problems).toHaveLength(6);
  });

  test("is repeated by 64 characters or in full", async () => {
    covers("validation-error.input.any", "validation-error.input.how-much");
    const prompt = "x".repeat(1_001);
    const metadata = Array.from({ length: 100 }, () => "y");
    const cut = await manualServer().call.submit({ prompt, metadata });
    const inputs = cut.problems.map(({ input }) => String(input));
    expect(inputs.map(({ length }) => length)).toEqual([65, 65]);
    const options: Partial<Options> = { echoInput: "full" };
    const full = await manualServer({ options }).call.submit({ prompt, metadata });
    expect(full.problems.map(({ input }) => input)).toEqual([prompt, metadata]);
  });
});

const valid: readonly Record<string, unknown>[] = [
  { prompt: "x".repeat(1_000) },
  { prompt: dress.repeat(1_000) },
  { style_hint: dress.repeat(500), negative_prompt: "x".repeat(500) },
  { prompt: "", style_hint: null, negative_prompt: null, webhook_url: null, metadata: null },
  { seed: 0 },
  { seed: 2_147_483_647 },
  { seed: null },
  { person_url: `https://a.example/${"x".repeat(1_982)}` },
  { webhook_url: `https://a.example/${"x".repeat(1_982)}` },
  { garment_urls: ["https://a.example/1", "https://a.example/2", "https://a.example/3"] },
  { campaign: { any: ["thing", null] }, "": 1, constructor: 1 },
];

describe("a body at the bounds", () => {
  test.each(valid)("is valid: %j", async (fields) => {
    covers(
      "request.unknown-properties.accepted",
      "request.person-url.max-length",
      "request.garment-urls.max-items",
      "request.prompt.max-length",
      "request.style-hint.max-length",
      "request.negative-prompt.max-length",
      "request.webhook-url.max-length",
      "request.metadata.max-keys",
      "request.seed.range",
    );
    expect((await manualServer().call.submit(fields)).status).toBe(200);
  });

  test("is valid with an idempotency key of 200 characters", async () => {
    covers("submit.idempotency-key.max-length");
    const { call } = manualServer();
    expect((await call.submit({}, { "idempotency-key": "k".repeat(200) })).status).toBe(200);
  });
});

describe("metadata", () => {
  test.each([
    [{}],
    [{ a: null, b: true, c: -1.5e300, d: "", e: [1, [2]], f: { g: { h: [] } } }],
    [{ [dress.repeat(256)]: dress.repeat(256) }],
    [{ a: { b: "x".repeat(248) } }],
    [keys(8)],
    [JSON.parse('{"__proto__":{"a":1},"constructor":"b","toString":3}') as object],
  ])("is returned unchanged: %j", async (metadata) => {
    covers(
      "request.metadata.max-keys",
      "request.metadata.max-length",
      "request.metadata.what-is-counted",
      "submit-response.metadata.echo",
      "job.metadata.echo",
    );
    const { call } = manualServer();
    const { body } = await call.submit({ metadata });
    expect(JSON.stringify(body.metadata)).toBe(JSON.stringify(metadata));
    expect(JSON.stringify((await call.poll(body.job_id)).body.metadata)).toBe(
      JSON.stringify(metadata),
    );
  });
});
