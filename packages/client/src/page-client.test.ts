import { describe, expect, it } from "vitest";

import { PageClient, TryOn } from "./index.ts";
import { createProxyService, mount } from "../test/proxy-service.ts";
import { createService, failure, input, respondWith } from "../test/service.ts";

it.each([
  [{ proxyUrl: mount }, /^proxyUrl is not an option of PageClient/],
  [{ apiKey: "svc_test_a" }, /^apiKey is not an option/],
])("rejects the options of TryOn alone: %j", (options, words) => {
  expect(() => new PageClient({ baseUrl: mount, ...options })).toThrow(words);
});

it("makes a try-on through the proxy, with the same requests as TryOn", async () => {
  const { page, pageClientOf, run, responses, sent } = createProxyService();
  const requests = async (client: Pick<PageClient, "run">) => {
    const [before, received] = [sent.length, responses.length];
    const { image, receipt } = await run(client.run(input, { sync: false }));
    expect((await image.bytes()).length).toBeGreaterThan(1_000);
    expect(receipt).toMatchObject({ jobId: expect.stringMatching(/^job_/), credits: undefined });
    const paths = sent.slice(before).map(({ method, path }) => `${method} ${path.slice(0, 13)}`);
    return { paths, received: responses.length - received };
  };
  expect(await requests(pageClientOf("ada"))).toEqual(await requests(page("ada")));
});

it("continues a job of another page", async () => {
  const { pageClientOf, run } = createProxyService();
  const job = await run(pageClientOf("ada").submit(input));
  const client = pageClientOf("ada");
  const saved = JSON.parse(JSON.stringify(job)) as typeof job;
  const { image } = await run(client.jobs.resume(saved).result());
  expect((await run(image.blob())).type).toBe("image/png");
  expect(await run(client.jobs.resume(job.id).result())).toMatchObject({ job: { id: job.id } });
  expect(() => client.jobs.resume("../account")).toThrow(/is not the id of a job/);
});

it("returns the same fingerprint of the proxy's key as TryOn", async () => {
  const { page, pageClientOf, run } = createProxyService();
  const fingerprint = await run(pageClientOf("ada").apiKeyFingerprint());
  expect(fingerprint).toMatch(/^[\da-f]{16}/);
  expect(await run(page("ada").apiKeyFingerprint())).toBe(fingerprint);
});

it("submits nothing if the proxy has another key than before", async () => {
  const { pageClientOf, error, submissions } = createProxyService();
  const submitting = pageClientOf("ada").submit(input, { apiKeyFingerprint: "0123456789abcdef" });
  expect(await error(submitting)).toMatchObject({
    code: "outcome_unknown",
    search: "other_api_key",
  });
  expect(submissions()).toEqual([]);
});

it("leaves the checks of the input to the service, unless a call validates it", async () => {
  const { pageClient, error, sent } = createService();
  const client = pageClient();
  const unknown = { ...input, output_size: "9K" };
  // Programs without types can pass any size.
  expect(await error(client.submit(unknown as typeof input, { validate: true }))).toMatchObject({
    code: "invalid_input",
    issues: [{ field: "output_size", code: "not_allowed" }],
  });
  const large = { ...input, person: { base64: "A".repeat(14_000_001) } };
  expect(await error(client.submit(large, { validate: true }))).toMatchObject({
    code: "invalid_input",
  });
  expect(await client.validate(large)).toMatchObject([{ code: "too_long" }]);
  expect(sent).toEqual([]);
  // Some services respond with a 400 without issues.
  const { code } = (await error(client.submit(unknown as typeof input))) as { code?: unknown };
  expect(code).toMatch(/^(?:validation_failed|bad_request)$/);
});

it("sends nothing that it cannot read", async () => {
  const { pageClient, error, sent } = createService();
  const closed = new Blob(["image"]);
  closed.slice = () => {
    throw new DOMException("The page is closed.", "NotReadableError");
  };
  expect(await error(pageClient().submit({ ...input, person: closed }))).toMatchObject({
    code: "invalid_input",
    issues: [{ field: "person", code: "unreadable" }],
  });
  const submitting = pageClient().submit({ ...input, person: new Response(null, { status: 404 }) });
  expect(await error(submitting)).toMatchObject({ code: "invalid_input" });
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  const extra = circular as never;
  expect(await error(pageClient().submit({ ...input, extra }))).toMatchObject({
    code: "invalid_input",
    issues: [{ code: "not_json" }],
  });
  expect(sent).toEqual([]);
});

const tooMany = (seconds: string) => respondWith(429, { detail: "no" }, { "retry-after": seconds });

describe("after a 429", () => {
  it("waits for the time that the proxy says", async () => {
    const { pageClient, run, faults, times } = createService();
    const client = pageClient();
    const job = await run(client.submit(input));
    faults.push(tooMany("7"));
    await run(job.result());
    const [, first = 0, second = 0] = times();
    expect(second - first).toBeGreaterThanOrEqual(7_000);
  });

  it("fails at once if that is too long, and later until then", async () => {
    const { pageClient, error, faults, sent } = createService();
    const client = pageClient();
    faults.push(tooMany("90"));
    const [first, second] = [client.apiKeyFingerprint(), client.apiKeyFingerprint()];
    expect(await error(first)).toMatchObject({ code: "rate_limited", retryAfter: 90 });
    await failure(second).catch(() => undefined);
    const count = sent.length;
    expect(await error(client.apiKeyFingerprint())).toMatchObject({ code: "rate_limited" });
    expect(sent.length).toBe(count);
  });
});

it("is not a TryOn, and has neither a list nor an account", () => {
  const client = new PageClient({ baseUrl: mount });
  expect(client).not.toBeInstanceOf(TryOn);
  expect(Object.keys(client.jobs)).toEqual(["resume"]);
});
