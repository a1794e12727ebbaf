import { readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "@tryon/test-kit/repository";
import { expect, it } from "vitest";

import { createProxyService, jsonHeaders, tryOn } from "../../test/proxy-service.ts";
import { respondWith, fieldsOf } from "../../test/service.ts";

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
}
const { components } = JSON.parse(readFileSync(join(root, "spec/openapi.json"), "utf8")) as {
  components: { schemas: Readonly<Record<string, Schema>> };
};

/** Creates an object with every field of a schema. */
function documented({ properties = {} }: Schema = {}): Record<string, unknown> {
  const entries = Object.entries(properties);
  return Object.fromEntries(
    entries.map(([name, schema]) => [name, schema.properties ? documented(schema) : `a ${name}`]),
  );
}

const { schemas } = components;
const form = { free: { to: ["choose"] } };
const job = {
  ...documented(schemas["TryOnSubmitResponse"]),
  ...documented(schemas["TryOnJobStatus"]),
  job_id: "job_1",
  metadata: form,
};
const account = documented(schemas["AccountResponse"]);
const purchase = { ...documented(schemas["PurchaseWithSPTResponse"]), next_action: form };
const secret = { internal_note: "secret", internal_notes: ["secret"] };

it.each<[string, string, Record<string, unknown>, Record<string, unknown>]>([
  ["POST", "/api/v1/tryon", job, { message: secret }],
  ["GET", "/api/v1/tryon", { jobs: [job], next_cursor: null }, { jobs: [{ ...job, ...secret }] }],
  [
    "GET",
    "/api/v1/account",
    account,
    { name: secret, tryon_cost_credits: { "1K": 8, ...secret }, total_calls: ["secret"] },
  ],
  ["POST", "/api/v1/credits/purchase", purchase, { status: secret }],
])("passes on the response to %s %s with documented fields only", async (...row) => {
  const [method, path, good, undocumented] = row;
  const { ask, faults, post, run, sent } = createProxyService({
    fields: ["person_url", "garment_urls", "metadata"],
    exposeCredits: true,
    allow: { list: true, account: true, purchase: true },
  });
  const made = (await (await run(post("ada", tryOn))).json()) as { job_id: string };
  const { _tryon_user } = Object(fieldsOf(sent[0])["metadata"]) as { _tryon_user?: string };
  const ids = new Map([["job_1", made.job_id.slice(0, -32)]]);
  const respondTo = async (content: object) => {
    // The service has the job of this user under its own id.
    const text = JSON.stringify(content, (name, value: unknown) =>
      name === "metadata" ? { _tryon_user, ...Object(value) } : (ids.get(String(value)) ?? value),
    );
    faults.push(respondWith(200, JSON.parse(text) as object));
    const body = method === "GET" ? null : JSON.stringify(tryOn);
    const headers = { ...jsonHeaders, "idempotency-key": "b" };
    const response = await run(ask("ada", path, { method, headers, body }));
    expect(response.status).toBe(200);
    return (await response.text()).replaceAll(made.job_id, "job_1");
  };
  expect(JSON.parse(await respondTo(good))).toEqual(good);
  const rest = await respondTo({ ...good, ...secret, ...undocumented });
  expect(rest).not.toContain("secret");
  const names = Object.keys(JSON.parse(rest) as object);
  expect(Object.keys(good)).toEqual(expect.arrayContaining(names));
});

it.each<[string, object]>([
  ["the id of another job", { job_id: "job_2", status: "running" }],
  ["no status", { job_id: "job_1", status: null }],
])("responds with 502 to a job with %s", async (_name, content) => {
  const fetched = [{ job_id: "job_1", status: "running" }, content];
  const { ask, post } = createProxyService({ fetch: async () => Response.json(fetched.shift()) });
  const { job_id: id } = (await (await post("ada", tryOn)).json()) as { job_id: string };
  expect((await ask("ada", `/api/v1/tryon/${id}`)).status).toBe(502);
});

it.each([
  ["req_1.a:b-c", "req_1.a:b-c"],
  ["a b", null],
  ["a".repeat(129), null],
])("passes on the request id %s as %s", async (requestId, expected) => {
  const { post } = createProxyService({
    fetch: async () =>
      Response.json({ detail: "no" }, { status: 400, headers: { "x-request-id": requestId } }),
  });
  expect((await post("ada", tryOn)).headers.get("x-request-id")).toBe(expected);
});
