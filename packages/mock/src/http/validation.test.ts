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
    ["garment_urls", null, ["garment_urls"], listType],
    ["garment_urls", ["https://a.example/g.png", 1], ["garment_urls", 1], stringType],
    ["garment_images_b64", ["1", "2", "3", "4"], ["garment_images_b64"], tooMany("List", 3, 4)],
    ["negative_prompt", dress.repeat(501), ["negative_prompt"], tooLong(500)],
    ["wait", "true", ["wait"], boolType],
    ["wait", null, ["wait"], boolType],
    ["seed", "7", ["seed"], intType],
    ["seed", -1, ["seed"], tooLow],
    ["seed", 1e300, ["seed"], tooHigh],
    ["seed", 1.5, ["seed"], fraction],
    ["metadata", [], ["metadata"], dictType],
    ["metadata", keys(9), ["metadata"], tooMany("Dictionary", 8, 9)],
    ["metadata", { a: "x".repeat(257) }, ["metadata", "a"], tooLong(256)],
    ["metadata", { a: ["x".repeat(253)] }, ["metadata", "a"], tooLong(256)],
    ["metadata", { ["k".repeat(257)]: 1 }, ["metadata", "k".repeat(257), "[key]"], tooLong(256)],
    ["output_size", "8K", ["output_size"], literal("'1K', '2K' or '4K'")],
    ["output_size", null, ["output_size"], stringType],
    ["mode", "later", ["mode"], literal("'sync' or 'async'")],
  ])("gets a 422 for %s %j", async (field, value, loc, problem) => {
    covers(
      "validation-error.msg.string",
      "validation-error.type.string",
      "validation-error.ctx.object",
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
    covers("validation-error.detail.array", "validation-error.loc.path");
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

test("a body may have unknown properties, and a header a key of 200 characters", async () => {
  covers("request.unknown-properties.accepted", "submit.idempotency-key.max-length");
  const fields = { campaign: { any: ["thing", null] }, "": 1, constructor: 1 };
  const sent = manualServer().call.submit(fields, { "idempotency-key": "k".repeat(200) });
  expect((await sent).status).toBe(200);
});

test.each([
  [{}],
  [{ a: null, b: true, c: -1.5e300, d: "", e: [1, [2]], f: { g: { h: [] } } }],
  [{ [dress.repeat(256)]: dress.repeat(256) }],
  [{ a: { b: "x".repeat(248) } }],
  [keys(8)],
  [JSON.parse('{"__proto__":{"a":1},"constructor":"b","toString":3}') as object],
])("metadata is returned unchanged: %j", async (metadata) => {
  covers(
    "request.metadata.max-keys",
    "request.metadata.max-length",
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

const long = "x".repeat(257);

test.each([
  ["json", { key: 422, text: 422, nested: 422 }],
  ["text", { key: 422, text: 422, nested: 200 }],
  ["keys", { key: 422, text: 200, nested: 200 }],
] as const)(
  "the limit of 256 characters in metadata counts with metadataCount %s: %j",
  async (metadataCount, statuses) => {
    covers("request.metadata.what-is-counted");
    const { call } = manualServer({ options: { metadataCount } });
    const entries = { key: { [long]: 1 }, text: { a: long }, nested: { a: [long] } };
    for (const [entry, metadata] of Object.entries(entries)) {
      const { status, body } = await call.submit({ metadata });
      expect([entry, status]).toEqual([entry, statuses[entry as keyof typeof entries]]);
      expect(body.metadata).toEqual(status === 200 ? metadata : undefined);
    }
    expect((await call.submit({ metadata: keys(9) })).status).toBe(422);
  },
);

test("an invalid field is a 400 with a text with fieldStatus 400", async () => {
  covers("submit.validation.400-or-422");
  const { call } = manualServer({ options: { fieldStatus: 400 } });
  const refused = await call.submit({ seed: -1, garment_urls: ["https://a.example/g.png", 1] });
  expect(refused.status).toBe(400);
  expect(refused.detail).toBe(
    "garment_urls.1: Input should be a valid string; seed: Input should be greater than or equal to 0",
  );
  expect((await call.list("?status_filter=done")).status).toBe(400);
  expect((await call.post("/api/v1/tryon", [])).status).toBe(422);
});

const lax = { options: { jsonTypes: "lax" } } as const;

describe("the option jsonTypes lax", () => {
  test.each<[Record<string, unknown>, string, number | null]>([
    [{ wait: "false", seed: "7" }, "running", 7],
    [{ wait: 0, seed: " 42 " }, "running", 42],
    [{ wait: "off", seed: "7.0" }, "running", 7],
    [{ wait: "N", seed: null }, "running", null],
    [{ wait: 1 }, "succeeded", null],
    [{ wait: "1" }, "succeeded", null],
    [{ wait: "true" }, "succeeded", null],
    [{ wait: "YES" }, "succeeded", null],
    [{ wait: "on" }, "succeeded", null],
  ])("accepts %j", async (fields, status, seed) => {
    covers("request.types.strictness");
    const { mock, call } = manualServer(lax);
    const response = call.submit(fields);
    await mock.clock.advance("2s");
    expect((await response).body).toMatchObject({ status, seed });
  });

  test.each([
    [{ wait: "maybe" }, "bool_parsing"],
    [{ wait: 2 }, "bool_type"],
    [{ wait: null }, "bool_type"],
    [{ seed: "seven" }, "int_parsing"],
    [{ seed: "7.5" }, "int_parsing"],
    [{ seed: "-1" }, "greater_than_equal"],
    [{ prompt: 5 }, "string_type"],
  ])("refuses %j", async (fields, type) => {
    const { call } = manualServer(lax);
    expect((await call.submit(fields)).problems.map((problem) => problem.type)).toEqual([type]);
  });
});
