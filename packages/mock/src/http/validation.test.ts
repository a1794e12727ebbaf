import { describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import type { Options } from "../options.ts";
import { caller } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";

function setUp(options: Partial<Options> = {}) {
  const mock = createMock({ clock: "manual", options });
  return { mock, call: caller(mock) };
}

const dress = "👗";
const stringType = { type: "string_type", msg: "Input should be a valid string" };
const listType = { type: "list_type", msg: "Input should be a valid list" };
const intType = { type: "int_type", msg: "Input should be a valid integer" };
const boolType = { type: "bool_type", msg: "Input should be a valid boolean" };
const dictType = { type: "dict_type", msg: "Input should be a valid dictionary" };
const tooLong = (most: number) => ({
  type: "string_too_long",
  msg: `String should have at most ${most} characters`,
  ctx: { max_length: most },
});
const tooMany = (field_type: string, most: number, count: number) => ({
  type: "too_long",
  msg: `${field_type} should have at most ${most} items after validation, not ${count}`,
  ctx: { field_type, max_length: most, actual_length: count },
});

describe("a body of the wrong form", () => {
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
    [
      "seed",
      -1,
      ["seed"],
      {
        type: "greater_than_equal",
        msg: "Input should be greater than or equal to 0",
        ctx: { ge: 0 },
      },
    ],
    [
      "seed",
      2_147_483_648,
      ["seed"],
      {
        type: "less_than_equal",
        msg: "Input should be less than or equal to 2147483647",
        ctx: { le: 2_147_483_647 },
      },
    ],
    [
      "seed",
      1.5,
      ["seed"],
      {
        type: "int_from_float",
        msg: "Input should be a valid integer, got a number with a fractional part",
      },
    ],
    ["metadata", [], ["metadata"], dictType],
    ["metadata", "a", ["metadata"], dictType],
    [
      "metadata",
      Object.fromEntries(Array.from({ length: 9 }, (_unused, index) => [`key${index}`, 1])),
      ["metadata"],
      tooMany("Dictionary", 8, 9),
    ],
    ["metadata", { a: "x".repeat(257) }, ["metadata", "a"], tooLong(256)],
    ["metadata", { a: ["x".repeat(253)] }, ["metadata", "a"], tooLong(256)],
    ["metadata", { ["k".repeat(257)]: 1 }, ["metadata", "k".repeat(257), "[key]"], tooLong(256)],
    [
      "output_size",
      "8K",
      ["output_size"],
      {
        type: "literal_error",
        msg: "Input should be '1K', '2K' or '4K'",
        ctx: { expected: "'1K', '2K' or '4K'" },
      },
    ],
    ["output_size", null, ["output_size"], stringType],
    ["resolution", 2, ["resolution"], stringType],
    [
      "mode",
      "later",
      ["mode"],
      {
        type: "literal_error",
        msg: "Input should be 'sync' or 'async'",
        ctx: { expected: "'sync' or 'async'" },
      },
    ],
  ])("is refused with 422 for %s %j", async (field, value, loc, problem) => {
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
    const { mock, call } = setUp();
    const refused = await call.submit({ [field]: value });
    expect(refused.status).toBe(422);
    expect(refused.problems).toHaveLength(1);
    const [found] = refused.problems;
    expect(found).toMatchObject({ ...problem, loc: ["body", ...loc] });
    expect(found?.ctx).toEqual("ctx" in problem ? problem.ctx : undefined);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(1_000);
  });

  test("is refused with all of its problems at once, the header's too", async () => {
    covers(
      "validation-error.detail.array",
      "validation-error.loc.path",
      "submit.idempotency-key.max-length",
    );
    const { call } = setUp();
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

  test("repeats 64 characters of what was refused, or all of it", async () => {
    covers("validation-error.input.any", "validation-error.input.how-much");
    const prompt = "x".repeat(1_001);
    const metadata = Array.from({ length: 100 }, () => "y");
    const cut = await setUp().call.submit({ prompt, metadata });
    const inputs = cut.problems.map(({ input }) => String(input));
    expect(inputs.map(({ length }) => length)).toEqual([65, 65]);
    const full = await setUp({ echoInput: "full" }).call.submit({ prompt, metadata });
    expect(full.problems.map(({ input }) => input)).toEqual([prompt, metadata]);
  });
});

const taken: readonly Record<string, unknown>[] = [
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

describe("a body at the very bounds", () => {
  test.each(taken)("is taken: %j", async (fields) => {
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
    expect((await setUp().call.submit(fields)).status).toBe(200);
  });

  test("is taken with an idempotency key of 200 characters", async () => {
    covers("submit.idempotency-key.max-length");
    const { call } = setUp();
    expect((await call.submit({}, { "idempotency-key": "k".repeat(200) })).status).toBe(200);
  });
});

describe("metadata", () => {
  test.each([
    [{}],
    [{ a: null, b: true, c: -1.5e300, d: "", e: [1, [2]], f: { g: { h: [] } } }],
    [{ [dress.repeat(256)]: dress.repeat(256) }],
    [{ a: { b: "x".repeat(248) } }],
    [Object.fromEntries(Array.from({ length: 8 }, (_unused, index) => [`key${index}`, index]))],
    [JSON.parse('{"__proto__":{"a":1},"constructor":"b","toString":3}') as object],
  ])("comes back as it was sent: %j", async (metadata) => {
    covers(
      "request.metadata.max-keys",
      "request.metadata.max-length",
      "request.metadata.what-is-counted",
      "submit-response.metadata.echo",
      "job.metadata.echo",
    );
    const { call } = setUp();
    const { body } = await call.submit({ metadata });
    expect(JSON.stringify(body.metadata)).toBe(JSON.stringify(metadata));
    expect(JSON.stringify((await call.poll(body.job_id)).body.metadata)).toBe(
      JSON.stringify(metadata),
    );
  });
});
