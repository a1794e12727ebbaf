import { readFileSync } from "node:fs";
import { join } from "node:path";

import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { root } from "@tryon/test-kit/repository";
import { describe, expect, expectTypeOf, it } from "vitest";

import { signedRequest, verify, type TryOnCompletedEvent } from "../index.ts";

const secret = "whsec_test";

const document = JSON.parse(
  readFileSync(join(root, "spec/openapi.json"), "utf8"),
  // The tests of the contract check its form.
) as {
  components: {
    schemas: { TryOnCompletedEvent: { properties: Readonly<Record<string, unknown>> } };
    parameters: Readonly<Record<string, { name: string; in: string }>>;
  };
  webhooks: { "tryon.completed": { post: { parameters: Array<{ $ref: string }> } } };
};
const ajv = new Ajv2020({ strict: false });
formats.default(ajv);
const { components } = document;
const fits = ajv.compile({ ...components.schemas.TryOnCompletedEvent, components });

describe("signedRequest", () => {
  it.each([{}, { status: "succeeded" as const }, { status: "failed" as const }])(
    "matches the contract, in the order of its fields, and verifies: %j",
    async (fields) => {
      const request = await signedRequest(fields, { secret });
      const body: unknown = await request.clone().json();
      expect(fits(body), JSON.stringify(fits.errors)).toBe(true);
      const names = Object.keys(components.schemas.TryOnCompletedEvent.properties);
      expect(Object.keys(Object(body))).toEqual(names);
      expect(await verify({ body: request, secrets: secret })).toEqual(body);
    },
  );

  it("has every header of the contract, and a content type", async () => {
    const request = await signedRequest({}, { secret });
    const refs = document.webhooks["tryon.completed"].post.parameters.map(({ $ref }) => $ref);
    const names = refs.map((ref) => components.parameters[ref.split("/").at(-1) ?? ""]?.name);
    expect(names).toHaveLength(3);
    for (const name of names) expect(request.headers.has(String(name))).toBe(true);
    expect(request.headers.get("content-type")).toBe("application/json");
    expect(request.method).toBe("POST");
  });

  it("completes the fields of a job that has just failed, with a new id each time", async () => {
    // The types forbid `undefined` and JavaScript allows it.
    const fields: object = { status: "failed", duration_ms: 7, completed_at: undefined };
    const request = await signedRequest(fields, { secret });
    const event = (await request.json()) as TryOnCompletedEvent;
    expect(event).toEqual({
      event: "tryon.completed",
      job_id: request.headers.get("x-service-job-id"),
      status: "failed",
      result_url: null,
      error_code: "generation_failed",
      error_message: "content_blocked",
      duration_ms: 7,
      completed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    expect(Math.abs(Date.now() - Date.parse(String(event.completed_at)))).toBeLessThan(60_000);
    expect(event.job_id).toMatch(/^job_[a-zA-Z0-9]{24}$/);
    const other = await signedRequest({}, { secret });
    expect(other.headers.get("x-service-job-id")).not.toBe(event.job_id);
  });

  it("has the given URL and headers, without those that are null", async () => {
    const headers = { "X-Service-Event": null, "x-service-job-id": "job_other", via: "1.1 proxy" };
    const url = "https://shop.example/hooks";
    const request = await signedRequest({}, { secret, url, headers });
    expect(request.url).toBe(url);
    expect(request.headers.has("x-service-event")).toBe(false);
    expect(request.headers.get("x-service-job-id")).toBe("job_other");
    expect(request.headers.get("via")).toBe("1.1 proxy");
  });

  it("sends an event of an unknown kind unchanged", async () => {
    const event = { event: "credits.low", credits: 3 };
    const request = await signedRequest(event, { secret });
    expect(await request.clone().json()).toEqual(event);
    expect(request.headers.get("x-service-event")).toBe("credits.low");
    expect(request.headers.has("x-service-job-id")).toBe(false);
    expect(await verify({ body: request, secrets: secret })).toMatchObject({ status: null });
  });

  it.each([
    ["text", '{ "event":"tryon.completed", "job_id":"job_1","status":"failed" }'],
    [
      "bytes",
      new TextEncoder().encode('{"event":"tryon.completed","job_id":"job_1","status":"failed"}'),
    ],
  ])("sends a body of %s unchanged, with its headers", async (_, body) => {
    const request = await signedRequest(body, { secret });
    expect(request.headers.get("x-service-job-id")).toBe("job_1");
    expect(Buffer.from(await request.clone().arrayBuffer())).toEqual(Buffer.from(body));
    expect(await verify({ body: request, secrets: secret })).toMatchObject({ job_id: "job_1" });
  });

  it.each(["{", "7", "null", '{"event":7}', '{"event":"a\\nb","job_id":"ü"}', ""])(
    "sends the invalid event %s",
    async (body) => {
      const request = await signedRequest(body, { secret });
      expect(await request.clone().text()).toBe(body);
      expect(request.headers.has("x-service-event")).toBe(false);
      expect(request.headers.get("x-service-signature")).toMatch(/^sha256=[0-9a-f]{64}$/);
    },
  );

  it("rejects a blank secret", async () => {
    await expect(signedRequest({}, { secret: " " })).rejects.toMatchObject({
      code: "invalid_secret",
    });
  });

  it("has types for each kind of event", () => {
    type Event = Parameters<typeof signedRequest>[0];
    type Accepted = { status: "failed" } | { event: "credits.low"; credits: number } | string;
    expectTypeOf<Accepted>().toExtend<Event>();
    expectTypeOf<number>().not.toExtend<Event>();
    expectTypeOf<{ status: "running" }>().not.toExtend<Event>();
  });
});
