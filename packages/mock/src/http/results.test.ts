import sharp from "sharp";
import { describe, expect, test } from "vitest";

import type { MockOptions } from "../mock.ts";
import { caller, finished, manualServer } from "../../test/caller.ts";
import { receiver } from "../../test/receiver.ts";
import { covers } from "../../test/covers.ts";

function setUp(input: MockOptions = {}) {
  const { mock, call } = manualServer(input);
  const image = async (url: unknown, init?: RequestInit) => {
    const response = await mock.fetch(String(url), init);
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, bytes, text: bytes.toString() };
  };
  const finish = (fields?: Record<string, unknown>) => finished(mock, call, fields);
  return { mock, call, image, finish };
}

describe("the image of a job", () => {
  test.each([
    ["1K", 768, 1_024],
    ["2K", 1_536, 2_048],
    ["4K", 3_072, 4_096],
  ])("of size %s is a PNG of %i × %i pixels", async (output_size, width, height) => {
    covers(
      "service.try-on.one-image",
      "sizes.resolution.pixels",
      "sizes.resolution.which-side",
      "result.content-type.png",
      "job.result-width.pixels",
      "job.result-height.pixels",
      "job.result-bytes.size",
      "job.result-content-type.png",
    );
    const { image, finish } = setUp();
    const job = await finish({ output_size });
    expect(job).toMatchObject({
      result_width: width,
      result_height: height,
      result_content_type: "image/png",
    });
    const { status, headers, bytes } = await image(job.result_url);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("image/png");
    expect(headers.get("content-length")).toBe(String(job.result_bytes));
    expect(bytes.length).toBe(job.result_bytes);
    const decoded = sharp(bytes, { failOn: "warning" }).raw().toBuffer({ resolveWithObject: true });
    expect((await decoded).info).toMatchObject({ width, height });
  });

  test("is the same for the same request and seed on every server, and differs by seed", async () => {
    const images = [];
    for (const seed of ["one", "two"]) {
      const { image, finish } = setUp({ seed });
      for (const fields of [
        { metadata: { a: 1 } },
        { metadata: { a: 2 } },
        { seed: 8 },
        { seed: 9 },
      ]) {
        const job = await finish({ seed: 7, output_size: "1K", ...fields });
        images.push((await image(job.result_url)).bytes.toString("base64"));
      }
    }
    expect(new Set(images).size).toBe(3);
    expect(images.slice(0, 4)).toEqual(images.slice(4));
    expect(images[0]).toBe(images[1]);
  });

  test("is a stock one for test keys, whatever the engine", async () => {
    covers("test-key.stock-image", "test-key.free");
    const { mock, image } = setUp({
      engine: { name: "unused", render: () => Promise.reject(new Error("A test key reached it.")) },
    });
    const job = await finished(mock, caller(mock, mock.keys.test));
    expect(job).toMatchObject({ status: "succeeded", cost_credits: 0 });
    expect((await image(job.result_url)).status).toBe(200);
  });
});

describe("the URL of an image", () => {
  test("is new at every poll and valid for 24 hours, as in responses and webhooks", async () => {
    covers(
      "job.result-url.regenerated",
      "job.result-url.validity",
      "submit-response.result-url.validity",
      "webhook.body.result-url",
    );
    const { received, send: sendWebhook } = receiver();
    const { mock, call, image } = setUp({ latency: "1s", sendWebhook });
    const sync = call.submit({ wait: true, webhook_url: "https://shop.example/hook" });
    await mock.clock.advance("1s");
    const { job_id, result_url } = (await sync).body;
    const polled = (await call.poll(job_id)).body.result_url;
    const urls = [result_url, polled, received[0]?.body["result_url"]];
    const statuses = async (): Promise<readonly number[]> =>
      Promise.all(urls.map(async (url) => (await image(url)).status));
    expect(await statuses()).toEqual([200, 200, 200]);
    await mock.clock.advance(86_399_000);
    expect(await statuses()).toEqual([200, 200, 200]);
    const later = (await call.poll(job_id)).body.result_url;
    expect(later).not.toBe(polled);
    await mock.clock.advance("1s");
    expect(await statuses()).toEqual([403, 403, 403]);
    expect((await image(later)).status).toBe(200);
  });

  test.each([403, 400] as const)(
    "gets a %i with XML when it has expired or was changed",
    async (expiredStatus) => {
      covers("job.result-url.expired-answer");
      const { mock, image, finish } = setUp({ options: { expiredStatus } });
      const url = new URL((await finish()).result_url ?? "");
      const changes: readonly ((copy: URL) => void)[] = [
        (copy) => copy.searchParams.set("signature", "00".repeat(32)),
        (copy) => copy.searchParams.set("expires", "9999999999"),
        (copy) => copy.searchParams.delete("signature"),
        (copy) => (copy.pathname = "/results/job_1.png"),
        (copy) => (copy.search = ""),
      ];
      for (const change of changes) {
        const copy = new URL(url);
        change(copy);
        const refused = await image(copy);
        expect(refused.status).toBe(expiredStatus);
        expect(refused.text).toContain("<Code>SignatureDoesNotMatch</Code>");
      }
      await mock.clock.advance("24h");
      const expired = await image(url);
      expect(expired.status).toBe(expiredStatus);
      expect(expired.headers.get("content-type")).toBe("application/xml");
      expect(expired.text).toContain("<Message>The URL has expired.</Message>");
    },
  );

  test("gets a 400 with an Authorization header, as at object stores", async () => {
    const { mock, image, finish } = setUp();
    const authorization = `Bearer ${mock.keys.live}`;
    const refused = await image((await finish()).result_url, { headers: { authorization } });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain("<Code>InvalidArgument</Code>");
  });

  test("gets a 404 after 30 days, and a poll has all but the URL", async () => {
    covers("privacy.results.thirty-days", "privacy.results.after-purge");
    const { mock, call, image, finish } = setUp();
    const job = await finish();
    await mock.clock.advance("29d");
    await mock.clock.advance("23h");
    const { body } = await call.poll(job.job_id);
    expect((await image(body.result_url)).status).toBe(200);
    await mock.clock.advance("1h");
    const purged = await image(body.result_url);
    expect(purged.status).toBe(404);
    expect(purged.text).toContain("<Code>NoSuchKey</Code>");
    expect((await call.poll(job.job_id)).body).toEqual({ ...job, result_url: null });
  });

  test.each([
    ["same", "https://tryon-mock.test", "https://tryon-mock.test"],
    ["other", "https://tryon-mock.test", "https://results.tryon-mock.test"],
    ["other", "http://127.0.0.1:4010", "http://localhost:4010"],
    ["other", "http://localhost:4010", "http://127.0.0.1:4010"],
    ["other", "http://[::1]:4010", "http://localhost:4010"],
  ] as const)(
    "with resultsOrigin %s of a server at %s is at %s",
    async (resultsOrigin, baseUrl, expected) => {
      covers("job.result-url.origin");
      const { image, finish } = setUp({ baseUrl, options: { resultsOrigin } });
      const job = await finish();
      expect(new URL(job.result_url ?? "").origin).toBe(expected);
      expect((await image(job.result_url)).status).toBe(200);
    },
  );
});
