import { afterEach, describe, expect, it, vi } from "vitest";

import { accountBody } from "../../test/http-server.ts";
import { failure, input, smallPng } from "../../test/service.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.doUnmock("#runtime");
  vi.doUnmock("#page");
  vi.resetModules();
});

const options = { apiKey: "svc_test_a", baseUrl: "https://tryon.example" };
const job = { job_id: "job_1", status: "succeeded", result_url: "https://store.example/a.png" };

/** Returns the `fetch` options of a read and a submission. A fresh copy of the client detects the runtime again. */
async function fetchOptions(): Promise<RequestInit[]> {
  vi.resetModules();
  const { TryOn } = await import("../index.ts");
  const seen: RequestInit[] = [];
  const tryon = new TryOn({
    ...options,
    fetch: async (_url, init) => {
      seen.push(init);
      return new Response(
        init.method === "GET" ? accountBody : '{"job_id":"job_1","status":"running"}',
      );
    },
  });
  await tryon.account.get();
  await tryon.submit(input);
  return seen;
}

describe("the option `cache`", () => {
  it("prevents that a cache stores a response of the service", async () => {
    const [read, submission] = await fetchOptions();
    expect(read).toMatchObject({ method: "GET", cache: "no-store" });
    expect(submission).not.toHaveProperty("cache");
  });

  it.each([
    [
      "throws",
      () => {
        throw new TypeError("The 'cache' field is not implemented");
      },
    ],
    ["ignores it", () => ({})],
  ])("is not set if the runtime %s", async (_what, construct) => {
    // An arrow function cannot be called with `new`.
    vi.stubGlobal("Request", function FakeRequest() {
      return construct();
    });
    for (const init of await fetchOptions()) expect(init).not.toHaveProperty("cache");
  });
});

it("saves no image to a file, and takes no agent, in a runtime other than Node", async () => {
  vi.resetModules();
  vi.doMock("#runtime", () => import("./runtime.ts"));
  const { TryOn } = await import("../index.ts");
  const tryon = new TryOn({
    ...options,
    fetch: async (url) =>
      url.startsWith("https://store.") ? new Response(smallPng) : Response.json(job),
  });
  const { image } = await tryon.jobs.resume("job_1").result();
  expect(await failure(image.save("out.png"))).toMatchObject({
    code: "unsafe_environment",
    message: expect.stringContaining(
      "save() needs Node. Use blob(). In a bundle for Node, set exportC",
    ),
  });
  expect((await image.bytes()).length).toBeGreaterThan(0);
  const agent = { destroy: () => undefined };
  expect(() => new TryOn({ ...options, agent })).toThrow("agent is for Node. Remove it.");
  expect(() => new TryOn({ ...options, transport: "node" })).toThrow(
    'transport: "node" is for Node. Remove it.',
  );
});

it("leaves redirects of images and streams to the browser, and rejects firstAttemptAt, in the build for pages", async () => {
  vi.doMock("#page", () => ({ isPage: true }));
  vi.doMock("#runtime", () => import("./runtime.ts"));
  vi.resetModules();
  const { TryOn } = await import("../index.ts");
  const sent: RequestInit[] = [];
  const headers = { location: job.result_url };
  const fetch = async (url: string, init: RequestInit) => {
    sent.push(init);
    return url === job.result_url
      ? new Response(null, { status: 307, headers })
      : Response.json(job);
  };
  const tryon = new TryOn({ ...options, fetch, validate: false });
  const { image } = await tryon.run({
    person: new Blob([new Uint8Array(200_000)]),
    garments: ["https://shop.example/shirt.png"],
  });
  expect(await failure(image.bytes())).toMatchObject({ code: "redirected" });
  const [submission, download] = sent;
  expect(submission?.body).toBeInstanceOf(Blob);
  expect(submission).not.toHaveProperty("duplex");
  expect(download).toMatchObject({ redirect: "follow", credentials: "omit" });
  const garments = ["https://shop.example/shirt.png"] as const;
  const again = { idempotencyKey: "order-1", firstAttemptAt: Date.now() };
  expect(await failure(tryon.run({ person: garments[0], garments }, again))).toMatchObject({
    code: "invalid_input",
    message: expect.stringMatching(/^firstAttemptAt must be unset in a page/),
  });
  expect(sent).toHaveLength(2);
  expect(await failure(image.save("out.png"))).toMatchObject({ code: "unsafe_environment" });
  expect(() => new TryOn({ ...options, apiKey: "svc_live_a" })).toThrow(
    "apiKey is a live key, and this is a browser.",
  );
});
