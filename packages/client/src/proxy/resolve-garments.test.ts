import { createHmac } from "node:crypto";

import { describe, expect, it } from "vitest";

import { createProxyService, tryOn } from "../../test/proxy-service.ts";
import { assetBytes, fieldsOf, input, personUrl, shirtUrl } from "../../test/service.ts";
import type { ProxyOptions } from "./index.ts";

const photo = assetBytes("person.jpg");
const secret = "a secret of 32 characters or more";
const product = "https://shop.example/products/shirt-42";

function createShop(options: Partial<ProxyOptions> = {}) {
  return createProxyService({
    resolveGarments: ({ garments }) => (garments[0] === product ? [shirtUrl] : undefined),
    ...options,
  });
}

describe("resolveGarments", () => {
  it("replaces the page's garments by those of the shop, for a page without options", async () => {
    const { page, run, sent, balance } = createShop();
    const result = await run(page("ada").run({ person: photo, garments: [product] }));
    expect(result.job.status).toBe("succeeded");
    const { garment_urls } = fieldsOf(sent[0]);
    expect(garment_urls).toEqual([shirtUrl]);
    expect(await balance()).toBe(992);
  });

  it("accepts images of the shop, also beside URLs", async () => {
    const base64 = Buffer.from(photo).toString("base64");
    const { page, run, sent } = createShop({
      resolveGarments: async () => [photo, shirtUrl, { base64 }],
    });
    await run(page("ada").submit({ person: personUrl, garments: [product] }));
    expect(fieldsOf(sent[0])).toMatchObject({
      garment_urls: [shirtUrl],
      garment_images_b64: [base64, base64],
    });
  });

  it("receives the user, the key and every string that the page sent", async () => {
    const calls: unknown[] = [];
    const { post, run } = createShop({
      resolveGarments: ({ user, idempotencyKey, garments }) => {
        calls.push([user.id, idempotencyKey, garments]);
        return [shirtUrl];
      },
    });
    const sent = [product, 7, null, "javascript:alert(1)"];
    await run(post("ada", { ...tryOn, garment_urls: sent }));
    await run(post("bob", { ...tryOn, garment_urls: undefined, garments: product }));
    expect(calls).toEqual([
      ["ada", "key-1", [product, "javascript:alert(1)"]],
      ["bob", "key-1", [product]],
    ]);
  });

  it("repeats a submission under the same key with the same garments", async () => {
    const { post, run, balance } = createShop();
    const submission = { ...tryOn, garment_urls: [product] };
    const first = await (await run(post("ada", submission))).json();
    const second = await (await run(post("ada", submission))).json();
    expect(second).toEqual(first);
    expect(await balance()).toBe(992);
  });

  it.each<[string, object, unknown]>([
    [
      "uploaded garments",
      { ...tryOn, garment_images_b64: ["aaaa"] },
      {
        loc: ["body", "garment_images_b64"],
        msg: "Garments cannot be uploaded here. Send the URL of a product.",
      },
    ],
    [
      "an unknown garment",
      { ...tryOn, garment_urls: ["https://evil.example/x.jpg"] },
      { loc: ["body", "garment_urls"], msg: "The shop has no such garment." },
    ],
    [
      "a missing garment",
      { person_url: personUrl },
      { loc: ["body", "garment_urls"], msg: "The shop has no such garment." },
    ],
  ])("rejects %s before anything is sent", async (_what, body, issue) => {
    const { post, run, sent, balance } = createShop();
    const response = await run(post("ada", body));
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ detail: [issue] });
    expect(sent).toEqual([]);
    expect(await balance()).toBe(1_000);
  });

  it("tells a page that uploads a garment which field to change", async () => {
    const { page, error, sent } = createShop();
    expect(await error(page("ada").submit({ ...input, garments: [photo] }))).toMatchObject({
      code: "validation_failed",
      issues: [
        { field: "garment_images_b64", message: expect.stringContaining("URL of a product") },
      ],
    });
    expect(sent).toEqual([]);
  });

  it.each<[string, ProxyOptions["resolveGarments"], string]>([
    [
      "throws",
      () => {
        throw new Error("The database is down.");
      },
      "The database is down.",
    ],
    ["returns something other than an image", () => [7 as never], "garments.0"],
  ])("responds with 500 if it %s, and sends nothing", async (_what, resolveGarments, reason) => {
    const { post, run, sent, reported } = createShop({ resolveGarments });
    const response = await run(post("ada", { ...tryOn, garment_urls: [product] }));
    expect([response.status, await response.json()]).toEqual([
      500,
      { detail: "The proxy failed." },
    ]);
    expect(sent).toEqual([]);
    expect(String(reported[0]?.cause)).toContain(reason);
  });

  it("accepts product URLs even if `fields` omits garment_urls", async () => {
    const { post, run } = createShop({ fields: ["person_url"] });
    const response = await run(post("ada", { ...tryOn, garment_urls: [product] }));
    expect(response.status).toBe(200);
  });
});

describe("ids of a proxy", () => {
  it("translate between the page's job id and the service's", async () => {
    const { page, run, ids, client, mock } = createProxyService();
    const { id } = await run(page("ada").submit(input));
    const jobId = (await ids.toServiceJobId({ id: "ada" }, id)) ?? "";
    // A new job can be invisible for a moment.
    await mock.clock.advance("2s");
    const job = await run(client().jobs.get(jobId));
    expect(job.id).toBe(jobId);
    expect(await ids.toPageJobId({ id: "ada" }, jobId)).toBe(id);
  });

  it("are undefined for another user's id, a changed one and the service's own", async () => {
    const { ids } = createProxyService();
    const ada = { id: "ada" };
    const signed = await ids.toPageJobId(ada, "job_1");
    expect(await ids.toServiceJobId(ada, signed)).toBe("job_1");
    expect(await ids.toServiceJobId({ id: "bob" }, signed)).toBeUndefined();
    const changed = Array.from(signed, (_, at) => {
      const other = String.fromCharCode(signed.charCodeAt(at) ^ 1);
      return `${signed.slice(0, at)}${other}${signed.slice(at + 1)}`;
    });
    const cuts = ["", "job_1", signed.slice(1), signed.slice(0, -1), `${signed}0`];
    for (const id of [...changed, ...cuts]) {
      expect(await ids.toServiceJobId(ada, id)).toBeUndefined();
    }
  });

  it("and its idempotency keys are HMAC-SHA-256 of their use and user, the same in every release", async () => {
    const { post, run, ids, sent } = createProxyService({ secret, allow: { list: true } });
    const hmac = (...parts: readonly string[]): string =>
      createHmac("sha256", secret).update(JSON.stringify(parts)).digest("hex");
    const id = await ids.toPageJobId({ id: "ada" }, "job_1");
    expect(id).toBe(`job_1${hmac("job", "ada", "job_1").slice(0, 32)}`);
    await run(post("ada", tryOn));
    const key = hmac("idempotency-key", "ada", "key-1");
    expect(sent[0]?.headers.get("idempotency-key")).toBe(key);
    const tag = hmac("user", "ada").slice(0, 32);
    expect(fieldsOf(sent[0])).toMatchObject({ metadata: { ["_tryon_user"]: tag } });
  });
});
