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

import { createProxyService } from "../../test/proxy-service.ts";
import { fieldsOf, personUrl, profiles, shirtUrl } from "../../test/service.ts";

const tryOn = { person_url: personUrl, garment_urls: [shirtUrl], wait: false };
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

interface Issue {
  readonly loc: readonly string[];
  readonly msg: string;
}

async function issuesOf(response: Response): Promise<readonly Issue[]> {
  expect(response.status).toBe(422);
  const { detail } = (await response.json()) as { detail: readonly Issue[] };
  return detail;
}

describe.each(profiles)("fields of a submission, under the profile %s", (profile) => {
  it.each<[unknown, string]>([
    [{ webhook_url: "https://evil.example/hook" }, "webhook_url"],
    [{ metadata: { a: "b" } }, "metadata"],
    [{ style_hint: "grunge" }, "style_hint"],
    [{ callback: "https://evil.example" }, "callback"],
    [{ output_size: "2K" }, "output_size"],
    [{ output_size: "4k" }, "output_size"],
    [{ size: "4K" }, "output_size"],
    [{ size: "4k" }, "output_size"],
    [{ resolution: "2k" }, "output_size"],
    [{ output_size: "", size: "4K" }, "output_size"],
    [{ output_size: null, resolution: "", size: "4K" }, "output_size"],
    [{ output_size: ["4K"] }, "output_size"],
    [{ output_size: { toString: "4K" } }, "output_size"],
    [{ output_size: 4 }, "output_size"],
    [{ output_size: "1K " }, "output_size"],
    [{ SIZE: "4K" }, "SIZE"],
    [{ Output_Size: "4K" }, "Output_Size"],
    [{ " output_size": "4K" }, " output_size"],
    [{ "output_size\u0000": "4K" }, "output_size\u0000"],
    [{ constructor: { prototype: 1 } }, "constructor"],
    [{ prompt: { webhook_url: "https://evil.example" } }, "prompt"],
    [{ person_url: [{ output_size: "4K" }] }, "person_url"],
    [{ garment_urls: [[{ output_size: "4K" }]] }, "garment_urls"],
    [{ wait: "false" }, "wait"],
  ])("reject %j, and name the field", async (own, field) => {
    const { post, sent } = createProxyService({}, { profile });
    const [issue] = await issuesOf(await post("ada", { ...tryOn, ...(own as object) }));
    expect(issue?.loc).toEqual(["body", field]);
    expect(sent).toEqual([]);
  });

  it.each([
    '{"__proto__":{"webhook_url":"https://evil.example"}}',
    '{"output_size":"1K","output_size":"4K"}',
    '{"output_size":"4K","person_url":"","__proto__":{"output_size":"1K"}}',
  ])("reject %s", async (text) => {
    const { post, sent } = createProxyService({}, { profile });
    await issuesOf(await post("ada", text));
    expect(sent).toEqual([]);
  });

  it("have their aliases folded, and the first size as default", async () => {
    const { post, run, sent } = createProxyService({ sizes: ["2K", "4K"] }, { profile });
    const other = "https://shop.example/other.png";
    const asked = { person: personUrl, model_url: other, items: [shirtUrl], mode: "async" };
    await run(post("ada", { ...asked, resolution: "", webhook_url: null }));
    await run(post("ada", { ...asked, size: "4k" }, { "idempotency-key": "b" }));
    expect(sent.map(fieldsOf)).toEqual([
      { person_url: personUrl, garment_urls: [shirtUrl], wait: false, output_size: "2K" },
      { person_url: personUrl, garment_urls: [shirtUrl], wait: false, output_size: "4K" },
    ]);
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
    const { post, run, sent, submissions } = createProxyService({}, { profile, latency: 0 });
    let number = 0;
    await assert(
      asyncProperty(array(entry, { minLength: 1, maxLength: 4 }), async (entries) => {
        // Not JSON.stringify, so that names can be duplicated and `__proto__` is kept.
        const listed = [...Object.entries(tryOn), ...entries].map(
          ([one, its]) => `${JSON.stringify(one)}:${JSON.stringify(its)}`,
        );
        const text = `{${listed.join(",")}}`;
        const before = sent.length;
        const response = await run(
          post("ada", text, { "idempotency-key": `key-${(number += 1)}` }),
        );
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

  it("can be extended by the options, but not by webhook_url", async () => {
    const { post, run, sent } = createProxyService(
      { fields: ["person_url", "garment_urls", "style_hint", "metadata"], sizes: ["1K", "4K"] },
      { profile },
    );
    const own = { style_hint: "grunge", metadata: { order: 7 }, size: "4k" };
    const response = await run(post("ada", { ...tryOn, ...own }));
    expect(await response.json()).toMatchObject({ status: "running" });
    expect(fieldsOf(sent[0])).toEqual({
      ...tryOn,
      style_hint: "grunge",
      metadata: { order: 7 },
      output_size: "4K",
    });
    expect(() => createProxyService({ fields: ["webhook_url"] })).toThrow(/webhook_url/);
  });

  it("are overridden by addFields, with merged metadata", async () => {
    const { post, run, sent, page, mock } = createProxyService(
      {
        fields: ["person_url", "garment_urls", "metadata"],
        allow: { list: true },
        addFields: ({ user }) => ({
          webhook_url: "https://shop.example/hook",
          metadata: { customer: user.id },
        }),
      },
      { profile },
    );
    const metadata = { customer: "another user", _tryon_user: "another user", note: "mine" };
    const response = await run(post("ada", { ...tryOn, metadata }));
    const { metadata: shown, job_id: id } = (await response.json()) as {
      metadata: unknown;
      job_id: string;
    };
    const mark = expect.stringMatching(/^[\da-f]{32}$/) as unknown;
    expect(fieldsOf(sent[0])).toMatchObject({
      webhook_url: "https://shop.example/hook",
      metadata: { customer: "ada", note: "mine", _tryon_user: mark },
    });
    await mock.clock.advance("1m");
    const job = await run(page("ada").jobs.get(id));
    expect(job.data.metadata).toEqual({ customer: "ada", note: "mine" });
    expect(shown ?? job.data.metadata).toEqual(job.data.metadata);
    const many = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`key${index}`, "a"]));
    const [issue] = await issuesOf(await post("ada", { ...tryOn, metadata: many }));
    expect(issue?.loc).toEqual(["body", "metadata"]);
  });

  it.each([{ toString: 1 }, "constructor", "SYNC", ["sync"], 1])(
    "do not set wait for the mode %j",
    async (mode) => {
      const { post, run, sent, reported } = createProxyService({}, { profile });
      const { wait: _wait, ...rest } = tryOn;
      await run(post("ada", { ...rest, mode }));
      expect(Object.keys(fieldsOf(sent[0]))).not.toContain("wait");
      expect(reported).toEqual([]);
    },
  );

  it.each([
    '{"_tryon_user":MARK}',
    '{"_tryon_user":"a","_tryon_user":MARK}',
    '{"_tryon\\u005fuser":MARK}',
    '{"a":"b","__proto__":{"_tryon_user":MARK}}',
    '{},"metadata":{"_tryon_user":MARK}',
    '{"_tryon_user":{"toString":MARK}},"__proto__":{"metadata":{"_tryon_user":MARK}}',
    '{"_TRYON_USER":MARK," _tryon_user":MARK,"_tryon_user\\u0000":MARK}',
  ])("cannot set the user tag by metadata %s", async (metadata) => {
    const allow = { list: true };
    const { post, run, sent, page, mock } = createProxyService(
      { fields: [...defaultFields, "metadata"], allow },
      { profile },
    );
    await run(post("ada", tryOn));
    const mark = JSON.stringify(fieldsOf(sent[0])["metadata"]).slice(-35, -1);
    const text = JSON.stringify(tryOn).replace("{", `{"metadata":${metadata},`);
    // The list is enabled at the submission, or only later.
    for (const [key, list] of [
      ["b", true],
      ["c", false],
    ] as const) {
      allow.list = list;
      await run(post("bob", text.replaceAll("MARK", mark), { "idempotency-key": key }));
    }
    allow.list = true;
    await mock.clock.advance("2m");
    expect(await run(page("ada").jobs.list().toArray())).toHaveLength(1);
    for (const submission of sent.filter(({ body }) => body).slice(1)) {
      const { _tryon_user: user } = Object(fieldsOf(submission)["metadata"]) as Record<
        string,
        unknown
      >;
      expect(user).not.toBe(JSON.parse(mark));
    }
  });

  it("do not request a sync wait if sync is false", async () => {
    const { run, page, sent } = createProxyService({ sync: false }, { profile });
    const { job } = await run(
      page("ada").run({ person: personUrl, garments: [shirtUrl] }, { sync: true }),
    );
    expect(job.status).toBe("succeeded");
    expect(fieldsOf(sent[0])["wait"]).toBe(false);
  });
});
