import { array, assert, constantFrom, jsonValue, oneof, property, string, tuple } from "fast-check";
import { describe, expect, it } from "vitest";

import { createProxyService, tryOn } from "../../test/proxy-service.ts";
import { fieldsOf, personUrl, shirtUrl } from "../../test/service.ts";
import { withoutUserTag } from "./convert-response.ts";
import { filterFields } from "./filter-fields.ts";
import type { ProxyOptions } from "./options.ts";
import { resolveOptions } from "./resolve-options.ts";

const posted = { person_url: "a", garment_urls: ["b"] };
const withMetadata = { fields: [...Object.keys(posted), "metadata"] };
const filter = (fields: object, options?: Partial<ProxyOptions>) =>
  filterFields({ ...fields }, resolveOptions({ authorize: () => ({ id: "ada" }), ...options }));

describe("filterFields", () => {
  it.each<[object, object, Partial<ProxyOptions>?]>([
    [{}, {}],
    [
      { prompt: "red", seed: 7, person_image_b64: "c" },
      { prompt: "red", seed: 7, person_image_b64: "c" },
    ],
    [{ prompt: "", seed: null, webhook_url: null, style_hint: [] }, {}],
    [{ person: "c", garments: ["d"] }, {}],
    [{ person_url: "", person: "c" }, { person_url: "c" }],
    [{ garment_urls: [], garments: ["d"], items: ["e"] }, { garment_urls: ["d"] }],
    [{ garment_urls: null, items: ["e", "f"] }, { garment_urls: ["e", "f"] }],
    [{ mode: "sync" }, { wait: true }],
    [{ wait: false, mode: "sync" }, { wait: false }],
    [{ wait: null }, {}],
    [{ mode: "async" }, { wait: false }],
    [{ mode: "SYNC" }, {}],
    [{ mode: "constructor" }, {}],
    [{ mode: { toString: 1 } }, {}],
    [{ mode: ["sync"] }, {}],
    [{ mode: 1 }, {}],
    [{ wait: true }, { wait: false }, { sync: false }],
    [{ size: "4k" }, { output_size: "4K" }, { sizes: ["2K", "4K"] }],
    [{ output_size: "" }, { output_size: "2K" }, { sizes: ["2K", "4K"] }],
  ])("forwards %j as %j with %j", (own, fields, options) => {
    const expected = { ...posted, output_size: "1K", ...fields };
    expect(filter({ ...posted, ...own }, options)).toEqual(expected);
  });

  it.each<[object, string, string, Partial<ProxyOptions>?]>([
    [{ webhook_url: "c" }, "webhook_url", "extra_forbidden"],
    [{ metadata: { a: "b" } }, "metadata", "extra_forbidden"],
    [{ SIZE: "1K" }, "SIZE", "extra_forbidden"],
    [{ Output_Size: "4K" }, "Output_Size", "extra_forbidden"],
    [{ " output_size": "4K" }, " output_size", "extra_forbidden"],
    [{ "output_size\u0000": "4K" }, "output_size\u0000", "extra_forbidden"],
    [{ constructor: { prototype: 1 } }, "constructor", "extra_forbidden"],
    [{ ["__proto__"]: { webhook_url: "c" } }, "__proto__", "extra_forbidden"],
    [{ ["x".repeat(70)]: 1 }, "x".repeat(60), "extra_forbidden"],
    [
      { garment_urls: null, garments: ["b"] },
      "garment_urls",
      "extra_forbidden",
      { fields: ["person_url"] },
    ],
    [{ prompt: { a: 1 } }, "prompt", "value_type"],
    [{ garment_urls: ["b", ["c"]] }, "garment_urls", "value_type"],
    [{ person_url: [{ output_size: "4K" }] }, "person_url", "value_type"],
    [{ metadata: "c" }, "metadata", "value_type", withMetadata],
    [{ metadata: [1] }, "metadata", "value_type", withMetadata],
    [{ output_size: "2K" }, "output_size", "enum"],
    [{ size: "4k" }, "output_size", "enum"],
    [{ resolution: "2k" }, "output_size", "enum"],
    [{ output_size: null, resolution: "", size: "4K" }, "output_size", "enum"],
    [{ size: ["1K"] }, "output_size", "enum"],
    [{ output_size: { toString: "4K" } }, "output_size", "enum"],
    [{ output_size: 4 }, "output_size", "enum"],
    [{ output_size: "1K " }, "output_size", "enum"],
    [{ wait: "true" }, "wait", "bool_type"],
  ])("rejects %j because of %s: %s", async (own, name, type, options) => {
    const response = filter({ ...posted, ...own }, options);
    if (!(response instanceof Response)) throw new Error("The fields are allowed.");
    expect(response.status).toBe(422);
    const msg = expect.stringMatching(/\w/) as unknown;
    expect(await response.json()).toEqual({ detail: [{ loc: ["body", name], msg, type }] });
  });

  it("names the allowed sizes", async () => {
    const response = filter({ ...posted, size: "4K" }, { sizes: ["1K", "2K"] });
    expect(response instanceof Response && (await response.text())).toContain(
      "Allowed sizes: 1K, 2K. See",
    );
  });

  it("allows only known fields with plain values, for any body", () => {
    const names = [
      "person_url person_image_b64 garment_urls garment_images_b64 prompt negative_prompt seed",
      "output_size wait",
    ].flatMap((line) => line.split(" "));
    const name = oneof(
      constantFrom(...names, "size", "resolution", "mode", "person", "clothing", "items"),
      constantFrom("webhook_url", "metadata", "style_hint", "__proto__", "SIZE", "toString"),
      string(),
    );
    const value = oneof(
      constantFrom<unknown>("1K", "1k", "2K", "4K", "4k", "", null, true, "async", [], ["4K"], 7),
      constantFrom<unknown>(personUrl, [shirtUrl], { webhook_url: "https://evil.example" }),
      jsonValue(),
    );
    let count = 0;
    const isSafe = property(array(tuple(name, value), { maxLength: 4 }), (entries) => {
      // Unlike JSON.stringify, allows duplicate names and keeps `__proto__`.
      const listed = [...Object.entries(tryOn), ...entries].map(
        ([one, its]) => `${JSON.stringify(one)}:${JSON.stringify(its)}`,
      );
      const fields = filter(JSON.parse(`{${listed.join(",")}}`) as object);
      if (fields instanceof Response) return;
      count += 1;
      expect(names).toEqual(expect.arrayContaining(Object.keys(fields)));
      expect(fields["output_size"]).toBe("1K");
      // Objects could contain further fields.
      for (const one of Object.values(fields).flat()) expect(Object(one) === one).toBe(false);
    });
    assert(isSafe, { numRuns: 500, seed: 21 });
    expect(count).toBeGreaterThan(150);
  });

  it.each([
    ["{}", {}],
    ['{"order":7,"_tryon_user":"TAG"}', { order: 7 }],
    ['{"_tryon_user":"TAG"}', null],
    ['{"_tryon_user":"a","_tryon_user":"TAG"}', null],
    ['{"_tryon\\u005fuser":"TAG"}', null],
    [
      '{"a":"b","__proto__":{"_tryon_user":"TAG"}}',
      { a: "b", ["__proto__"]: { _tryon_user: "TAG" } },
    ],
    ['{},"metadata":{"_tryon_user":"TAG"}', null],
    ['{"_tryon_user":{"toString":"TAG"}}', null],
    [
      '{"_TRYON_USER":"TAG"," _tryon_user":"TAG","_tryon_user\\u0000":"TAG"}',
      { _TRYON_USER: "TAG", " _tryon_user": "TAG", "_tryon_user\0": "TAG" },
    ],
  ])("removes the user tag from the metadata %s", (text, forwarded) => {
    const given = JSON.parse(`{"metadata":${text}}`) as object;
    const { metadata } = Object(filter({ ...posted, ...given }, withMetadata));
    expect(metadata).toEqual(forwarded);
    expect(JSON.parse(JSON.stringify({ metadata }))).not.toHaveProperty("metadata._tryon_user");
  });

  it.each([
    '{"__proto__":{"webhook_url":"https://evil.example"}}',
    '{"__proto__":{"metadata":{"_tryon_user":"TAG"}}}',
    '{"output_size":"1K","output_size":"4K"}',
    '{"output_size":"4K","person_url":"","__proto__":{"output_size":"1K"}}',
  ])("rejects %s", (text) => {
    expect(filter(JSON.parse(text) as object, withMetadata)).toHaveProperty("status", 422);
  });
});

it.each([null, undefined, "text"])("withoutUserTag returns %j as it is", (metadata) => {
  expect(withoutUserTag(metadata)).toBe(metadata);
});

it("adds the fields of addFields, which override those of the user, with merged metadata", async () => {
  const added = { webhook_url: "https://shop.example/hook", prompt: "the shop's" };
  const { post, run, sent, page, mock } = createProxyService(
    {
      fields: ["person_url", "garment_urls", "metadata", "prompt"],
      allow: { list: true },
      addFields: ({ user }) => ({ ...added, metadata: { customer: user.id } }),
    },
    { options: { fieldStatus: 422 } },
  );
  const metadata = { customer: "another user", _tryon_user: "another user", note: "mine" };
  const response = await run(post("ada", { ...tryOn, metadata, prompt: "mine" }));
  // Some services repeat no metadata in the response to a submission.
  const own = { customer: "ada", note: "mine" };
  const shown = (await response.json()) as { metadata?: unknown; job_id: string };
  expect(shown.metadata ?? own).toEqual(own);
  const tag = expect.stringMatching(/^[\da-f]{32}$/) as unknown;
  expect(fieldsOf(sent[0])).toMatchObject({ ...added, metadata: { ...own, _tryon_user: tag } });
  await mock.clock.advance("1m");
  expect((await run(page("ada").jobs.get(shown.job_id))).data.metadata).toEqual(own);
  // The service counts the keys of the proxy too.
  const many = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`key${index}`, "a"]));
  const refused = await run(post("ada", { ...tryOn, metadata: many }, { "idempotency-key": "b" }));
  expect(refused.status).toBe(422);
  expect(await refused.text()).toContain('"loc":["body","metadata"');
});

it("responds with 500 to an unknown field of addFields, and reports the likely name", async () => {
  const { post, reported, sent } = createProxyService({
    addFields: () => ({ webhook_ulr: "https://shop.example/hook" }),
  });
  expect((await post("ada", tryOn)).status).toBe(500);
  expect(String(reported[0]?.cause)).toContain(
    "addFields returned webhook_ulr, which is not a field of a try-on. Did you mean webhook_url?",
  );
  expect(sent).toEqual([]);
});

it("adds the fields in extra of addFields, which a newer service may have", async () => {
  const { post, run, sent } = createProxyService({
    addFields: () => ({ seed: 7, extra: { background: "white" } }),
  });
  expect((await run(post("ada", tryOn))).status).toBe(200);
  expect(fieldsOf(sent[0])).toMatchObject({ seed: 7, background: "white" });
  expect(fieldsOf(sent[0])).not.toHaveProperty("extra");
});

it("names the likely field for an unknown one, and none for one that is not allowed", async () => {
  const { post } = createProxyService();
  const response = await post("ada", { ...tryOn, promt: "red", webhook_url: "https://a.example" });
  const { detail } = (await response.json()) as { detail: { msg: string }[] };
  expect(detail.map(({ msg }) => msg)).toEqual([
    "This field is not allowed. Did you mean prompt? See the proxy's option fields.",
    "This field is not allowed. See the proxy's option fields.",
  ]);
});
