import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  jsonValue,
  oneof,
  string,
  tuple,
} from "fast-check";
import { describe, expect, it } from "vitest";

import { createProxyService, tryOn } from "../../test/proxy-service.ts";
import { fieldsOf, input, personUrl, shirtUrl } from "../../test/service.ts";

const defaultFields = [
  "person_url",
  "person_image_b64",
  "garment_urls",
  "garment_images_b64",
  "prompt",
  "negative_prompt",
  "seed",
  "output_size",
  "wait",
];

/** Returns the place of the first issue of a response. */
async function issueOf(response: Response): Promise<readonly string[] | undefined> {
  expect(response.status).toBe(422);
  const { detail } = (await response.json()) as { detail: { loc: readonly string[] }[] };
  return detail[0]?.loc;
}

describe("fields of a submission", () => {
  it.each([
    '{"__proto__":{"webhook_url":"https://evil.example"}}',
    '{"output_size":"1K","output_size":"4K"}',
    '{"output_size":"4K","person_url":"","__proto__":{"output_size":"1K"}}',
  ])("reject %s", async (text) => {
    const { post, sent } = createProxyService();
    expect((await post("ada", text)).status).toBe(422);
    expect(sent).toEqual([]);
  });

  it("reach the service only if they are allowed, for any body", async () => {
    const good = constantFrom<readonly [string, unknown]>(
      ["output_size", "1K"],
      ["size", "1k"],
      ["resolution", ""],
      ["mode", "async"],
      ["wait", true],
      ["person", personUrl],
      ["clothing", [shirtUrl]],
      ["prompt", "red"],
      ["seed", 7],
      ["webhook_url", null],
    );
    const name = oneof(
      constantFrom(...defaultFields, "size", "resolution", "mode", "person", "garments", "items"),
      constantFrom("webhook_url", "metadata", "style_hint", "__proto__", "SIZE", "toString"),
      string(),
    );
    const value = oneof(
      constantFrom<unknown>("1K", "2K", "4K", "4k", "", null, true, "async", [], ["4K"], 7),
      constantFrom<unknown>(personUrl, [shirtUrl], { webhook_url: "https://evil.example" }),
      jsonValue(),
    );
    const entry = oneof(
      { weight: 3, arbitrary: good },
      { weight: 2, arbitrary: tuple(name, value) },
    );
    const { post, run, sent, submissions } = createProxyService({}, { latency: 0 });
    let number = 0;
    await assert(
      asyncProperty(array(entry, { minLength: 1, maxLength: 4 }), async (entries) => {
        // Not JSON.stringify, so that names can be duplicated and `__proto__` is kept.
        const listed = [...Object.entries(tryOn), ...entries].map(
          ([one, its]) => `${JSON.stringify(one)}:${JSON.stringify(its)}`,
        );
        const text = `{${listed.join(",")}}`;
        const before = sent.length;
        const headers = { "idempotency-key": `key-${(number += 1)}` };
        const response = await run(post("ada", text, headers));
        for (const submission of submissions().slice(before)) {
          const fields = fieldsOf(submission);
          expect(defaultFields).toEqual(expect.arrayContaining(Object.keys(fields)));
          expect(fields["output_size"]).toBe("1K");
          // Objects could contain further fields.
          for (const one of Object.values(fields).flat()) expect(Object(one) === one).toBe(false);
        }
        expect([200, 400, 422, 429]).toContain(response.status);
      }),
      { numRuns: 100, seed: 21 },
    );
    expect(submissions().length).toBeGreaterThan(30);
  });

  it("can be extended by the options", async () => {
    const { post, run, sent } = createProxyService({
      fields: ["person_url", "garment_urls", "style_hint", "metadata"],
      sizes: ["1K", "4K"],
    });
    const own = { ...tryOn, style_hint: "grunge", metadata: { order: 7 } };
    const response = await run(post("ada", { ...own, size: "4k" }));
    expect(await response.json()).toMatchObject({ status: "running" });
    expect(fieldsOf(sent[0])).toEqual({ ...own, output_size: "4K" });
  });

  const added = { webhook_url: "https://shop.example/hook", prompt: "the shop's" };
  it("are overridden by addFields, with merged metadata", async () => {
    const { post, run, sent, page, mock } = createProxyService({
      fields: ["person_url", "garment_urls", "metadata", "prompt"],
      allow: { list: true },
      addFields: ({ user }) => ({ ...added, metadata: { customer: user.id } }),
    });
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
    const many = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`key${index}`, "a"]));
    const before = sent.length;
    const refused = await post("ada", { ...tryOn, metadata: many });
    expect(await issueOf(refused)).toEqual(["body", "metadata"]);
    expect(sent).toHaveLength(before);
  });

  it.each([
    '{"_tryon_user":TAG}',
    '{"_tryon_user":"a","_tryon_user":TAG}',
    '{"_tryon\\u005fuser":TAG}',
    '{"a":"b","__proto__":{"_tryon_user":TAG}}',
    '{},"metadata":{"_tryon_user":TAG}',
    '{"_tryon_user":{"toString":TAG}},"__proto__":{"metadata":{"_tryon_user":TAG}}',
    '{"_TRYON_USER":TAG," _tryon_user":TAG,"_tryon_user\\u0000":TAG}',
  ])("cannot set the user tag by metadata %s", async (metadata) => {
    const allow = { list: true };
    const { post, run, sent, page, mock } = createProxyService({
      fields: [...defaultFields, "metadata"],
      allow,
    });
    await run(post("ada", tryOn));
    const tag = JSON.stringify(fieldsOf(sent[0])["metadata"]).slice(-35, -1);
    const text = JSON.stringify(tryOn).replace("{", `{"metadata":${metadata},`);
    // The list is enabled at the submission, or only later.
    for (const [key, list] of [
      ["b", true],
      ["c", false],
    ] as const) {
      allow.list = list;
      await run(post("bob", text.replaceAll("TAG", tag), { "idempotency-key": key }));
    }
    allow.list = true;
    await mock.clock.advance("2m");
    expect(await run(page("ada").jobs.list().toArray())).toHaveLength(1);
    for (const submission of sent.filter(({ body }) => body).slice(1)) {
      expect(Object(fieldsOf(submission)["metadata"])).not.toHaveProperty(
        "_tryon_user",
        JSON.parse(tag),
      );
    }
  });

  it("do not request a sync wait if sync is false", async () => {
    const { run, page, sent } = createProxyService({ sync: false });
    const { job } = await run(page("ada").run(input, { sync: true }));
    expect(job.status).toBe("succeeded");
    expect(fieldsOf(sent[0])["wait"]).toBe(false);
  });
});
