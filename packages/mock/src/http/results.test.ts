import { describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import type { Options } from "../options.ts";
import { pngSize } from "../engine/png.ts";
import { caller, finished } from "../../test/caller.ts";
import { receiver } from "../../test/receiver.ts";
import { covers } from "../../test/covers.ts";

function setUp(options: Partial<Options> = {}) {
  const mock = createMock({ clock: "manual", seed: "results", options });
  const call = caller(mock);
  const image = async (url: string | null | undefined, init?: RequestInit) => {
    const response = await mock.fetch(url ?? "", init);
    const bytes = new Uint8Array(await response.arrayBuffer());
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      text: new TextDecoder().decode(bytes),
    };
  };
  return { mock, call, image };
}

describe("the image of a job", () => {
  test.each([
    ["1K", 768, 1_024],
    ["2K", 1_536, 2_048],
    ["4K", 3_072, 4_096],
  ])(
    "is at %s a PNG of the reported %i × %i pixels and length",
    async (output_size, width, height) => {
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
      const { mock, call, image } = setUp();
      const job = await finished(mock, call, { output_size });
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
      expect(pngSize(bytes)).toEqual({ width, height });
    },
  );

  test("is the same for the same request and seed, on every server", async () => {
    const images = [];
    for (const seed of ["one", "two"]) {
      const mock = createMock({ clock: "manual", seed });
      const call = caller(mock);
      for (const metadata of [{ a: 1 }, { a: 2 }]) {
        const job = await finished(mock, call, { seed: 7, metadata, output_size: "1K" });
        const response = await mock.fetch(job.result_url ?? "");
        images.push(Buffer.from(await response.arrayBuffer()).toString("base64"));
      }
    }
    expect(new Set(images).size).toBe(1);
  });

  test("is another for other seeds and requests", async () => {
    const { mock, call, image } = setUp();
    const images = new Set<string>();
    for (let seed = 0; seed < 4; seed += 1) {
      const job = await finished(mock, call, { seed });
      images.add(Buffer.from((await image(job.result_url)).bytes).toString("base64"));
    }
    expect(images.size).toBe(4);
  });

  test("is a stock one for test keys, whatever the engine", async () => {
    covers("test-key.stock-image", "test-key.free");
    const mock = createMock({
      clock: "manual",
      engine: {
        name: "unused",
        render: () => Promise.reject(new Error("A test key has reached the engine.")),
      },
    });
    const job = await finished(mock, caller(mock, mock.keys.test));
    expect(job).toMatchObject({ status: "succeeded", cost_credits: 0 });
    expect((await mock.fetch(job.result_url ?? "")).status).toBe(200);
  });
});

describe("the address of an image", () => {
  test("is signed afresh at every poll and good for 24 hours each time", async () => {
    covers("job.result-url.regenerated", "job.result-url.validity");
    const { mock, call, image } = setUp();
    const job = await finished(mock, call);
    await mock.clock.advance("1h");
    const later = (await call.poll(job.job_id)).body;
    expect(later.result_url).not.toBe(job.result_url);
    await mock.clock.advance("22h");
    expect((await image(job.result_url)).status).toBe(200);
    await mock.clock.advance("59m");
    expect((await image(job.result_url)).status).toBe(200);
    await mock.clock.advance("1m");
    expect((await image(job.result_url)).status).toBe(403);
    expect((await image(later.result_url)).status).toBe(200);
  });

  test("is good for 24 hours in the answer of a held call and in a webhook too", async () => {
    covers("submit-response.result-url.validity", "webhook.body.result-url");
    const hooks = receiver();
    const mock = createMock({ clock: "manual", latency: "1s", sendWebhook: hooks.send });
    const held = caller(mock).submit({ wait: true, webhook_url: "https://shop.example/hook" });
    await mock.clock.advance("1s");
    const urls = [(await held).body.result_url, hooks.received[0]?.body["result_url"]];
    const statuses = async (): Promise<readonly number[]> =>
      Promise.all(urls.map(async (url) => (await mock.fetch(String(url))).status));
    expect(await statuses()).toEqual([200, 200]);
    const image = await mock.fetch(String(urls[0]));
    expect(image.headers.get("content-type")).toBe("image/png");
    await mock.clock.advance(86_399_000);
    expect(await statuses()).toEqual([200, 200]);
    await mock.clock.advance("1s");
    expect(await statuses()).toEqual([403, 403]);
  });

  test.each([403, 400] as const)(
    "answers %i with XML when it has expired or was changed",
    async (expiredStatus) => {
      covers("job.result-url.expired-answer");
      const { mock, call, image } = setUp({ expiredStatus });
      const job = await finished(mock, call);
      const url = new URL(job.result_url ?? "");
      const changed = (change: (copy: URL) => void): string => {
        const copy = new URL(url);
        change(copy);
        return copy.href;
      };
      const wrong = [
        changed((copy) => copy.searchParams.set("signature", "00".repeat(32))),
        changed((copy) => copy.searchParams.set("expires", "9999999999")),
        changed((copy) => copy.searchParams.delete("signature")),
        changed((copy) => (copy.pathname = "/results/job_1.png")),
        changed((copy) => (copy.search = "")),
      ];
      for (const address of wrong) {
        const refused = await image(address);
        expect(refused.status).toBe(expiredStatus);
        expect(refused.text).toContain("<Code>SignatureDoesNotMatch</Code>");
      }
      await mock.clock.advance("24h");
      const expired = await image(url.href);
      expect(expired.status).toBe(expiredStatus);
      expect(expired.headers.get("content-type")).toBe("application/xml");
      expect(expired.text).toContain("<Message>The URL has expired.</Message>");
    },
  );

  test("answers 400 to a call with an Authorization header, as object stores do", async () => {
    const { mock, call, image } = setUp();
    const job = await finished(mock, call);
    const authorization = `Bearer ${mock.keys.live}`;
    const refused = await image(job.result_url, { headers: { authorization } });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain("<Code>InvalidArgument</Code>");
  });

  test("answers 404 after 30 days, and a poll gives none any more", async () => {
    covers("privacy.results.thirty-days", "privacy.results.after-purge");
    const { mock, call, image } = setUp();
    const job = await finished(mock, call);
    await mock.clock.advance("29d");
    await mock.clock.advance("23h");
    const { body } = await call.poll(job.job_id);
    expect((await image(body.result_url)).status).toBe(200);
    await mock.clock.advance("1h");
    const purged = await image(body.result_url);
    expect(purged.status).toBe(404);
    expect(purged.text).toContain("<Code>NoSuchKey</Code>");
    expect((await call.poll(job.job_id)).body).toMatchObject({
      status: "succeeded",
      result_url: null,
      result_width: null,
      result_bytes: null,
      result_content_type: null,
    });
  });

  test("stands where the service is, or somewhere else", async () => {
    covers("job.result-url.origin");
    const same = setUp({ resultsOrigin: "same" });
    const there = await finished(same.mock, same.call);
    expect(new URL(there.result_url ?? "").origin).toBe(same.mock.baseUrl);
    const other = setUp({ resultsOrigin: "other" });
    const elsewhere = await finished(other.mock, other.call);
    expect(new URL(elsewhere.result_url ?? "").origin).toBe("https://results.tryon-mock.test");
    expect((await other.image(elsewhere.result_url)).status).toBe(200);
  });

  test.each([
    ["http://127.0.0.1:4010", "http://localhost:4010"],
    ["http://localhost:4010", "http://127.0.0.1:4010"],
    ["http://[::1]:4010", "http://localhost:4010"],
  ])("of a server at %s stands elsewhere at %s", async (baseUrl, expected) => {
    covers("job.result-url.origin");
    const mock = createMock({ clock: "manual", baseUrl, options: { resultsOrigin: "other" } });
    const job = await finished(mock, caller(mock));
    expect(new URL(job.result_url ?? "").origin).toBe(expected);
  });
});
