import { isTryOnError, TryOn, type Middleware } from "@tryon/client";
import type { FaultInput } from "@tryon/mock";
import { useMock } from "@tryon/mock/vitest";
import { generateImage, wrapImageModel } from "ai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import type { ImageModelCall } from "./ai-types.ts";
import { createImageModel, type ProviderOptions } from "./index.ts";

const mock = useMock({ clock: "manual" });
const submit = "POST /api/v1/tryon";
const images = ["https://shop.example/me.jpg", "https://shop.example/shirt.png"];
const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47);
const callOptions: ImageModelCall = {
  prompt: undefined,
  n: 1,
  size: undefined,
  aspectRatio: undefined,
  seed: undefined,
  files: images.map((url) => ({ type: "url", url })),
  mask: undefined,
  providerOptions: {},
};

/** Bodies of the submissions so far, and the headers of the last one. */
const sent = { bodies: [] as unknown[], headers: new Headers() };
beforeEach(() => void (sent.bodies = []));
beforeAll(() => Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false }));
afterAll(() => Reflect.deleteProperty(globalThis, "AI_SDK_LOG_WARNINGS"));

const keep: Middleware = async (request, next, { purpose }) => {
  if (purpose === "submit") {
    sent.bodies.push(await request.clone().json());
    sent.headers = request.headers;
  }
  return next(request);
};

const createModel = () => createImageModel({ retries: 1, middleware: keep });

/** Calls the AI SDK with its own retries. */
function generate(
  options: Partial<Parameters<typeof generateImage>[0]> = {},
  tryon: ProviderOptions = {},
) {
  const generating = generateImage({
    model: createModel(),
    prompt: { images },
    // Its values are JSON.
    providerOptions: { tryon: tryon as Record<string, never> },
    ...options,
  });
  return mock.clock.runUntil(generating);
}

/** Charges of the key so far. */
const charges = async (): Promise<number> =>
  (1_000 - ((await mock.ledger(mock.keys.live))?.balance ?? Number.NaN)) / 8;

describe.each<[string, Partial<FaultInput>, number, string | undefined]>([
  ["no fault", { latency: 1 }, 1, undefined],
  ["503 once", { on: submit, status: 503, times: 1 }, 1, undefined],
  ["429 once", { on: submit, status: 429, times: 1 }, 1, undefined],
  ["a reset before the work", { on: submit, reset: "before", times: 1 }, 1, undefined],
  ["a reset after the work", { on: submit, reset: "after", times: 1 }, 1, undefined],
  ["a response that is cut off", { on: submit, truncateAt: 20, times: 1 }, 1, undefined],
  ["500 always", { on: submit, status: 500 }, 0, "server_error"],
  ["429 always", { on: submit, status: 429 }, 0, "rate_limited"],
  ["401", { on: submit, status: 401 }, 0, "unauthorized"],
  ["402", { on: submit, status: 402 }, 0, "insufficient_credits"],
  ["422", { on: submit, status: 422 }, 0, "validation_failed"],
  ["a reset after the work always", { on: submit, reset: "after" }, 1, "outcome_unknown"],
  ["a page of a proxy after the work", { on: submit, cutAfter: 0 }, 1, undefined],
  ["a download that fails once", { on: "GET /results/*", status: 503, times: 1 }, 1, undefined],
  ["a download that is reset", { on: "GET /results/*", reset: "before", times: 1 }, 1, undefined],
  ["a download that always fails", { on: "GET /results/*", status: 503 }, 1, "unavailable"],
])("with %s", (_name, fault, expected, code) => {
  test(`the AI SDK pays ${expected} times`, async () => {
    mock.faults.add({ on: submit, ...fault });
    const outcome = await generate().then(
      ({ image }) => image.uint8Array.slice(0, 4),
      (error: unknown) => (isTryOnError(error) ? error.code : error),
    );
    expect(outcome).toEqual(code ?? png);
    expect(await charges()).toBe(expected);
  });
});

test("a failed job is an error of the client, and is not submitted again", async () => {
  mock.nextJob({ outcome: "content_blocked" });
  await expect(generate()).rejects.toMatchObject({ code: "job_failed" });
  expect(sent.bodies).toHaveLength(1);
});

test("n images are n try-ons, and the same call again pays nothing", async () => {
  const first = await generate({ n: 3 }, { idempotencyKey: "order-1" });
  expect(first.images).toHaveLength(3);
  expect(await charges()).toBe(3);
  const entries = metadataOf(first).images;
  expect(new Set(entries.map(({ job }) => job.id)).size).toBe(3);
  const again = await generate({ n: 3 }, { idempotencyKey: "order-1" });
  expect(await charges()).toBe(3);
  expect(again.images.map(({ base64 }) => base64)).toEqual(
    first.images.map(({ base64 }) => base64),
  );
});

test("a call that maxImagesPerCall splits has a key for each image", async () => {
  const { images: made } = await generate(
    { n: 5, maxImagesPerCall: 2 },
    { idempotencyKey: "order-2" },
  );
  expect(made).toHaveLength(5);
  expect(await charges()).toBe(5);
});

test("middleware that repeats a failed call repeats its key", async () => {
  mock.faults.add({ on: submit, reset: "after", times: 2 });
  const model = wrapImageModel({
    model: createModel(),
    middleware: {
      specificationVersion: "v4",
      wrapGenerate: async ({ doGenerate }) => {
        try {
          return await doGenerate();
        } catch {
          return doGenerate();
        }
      },
    },
  });
  const { images: made } = await generate({ model }, { idempotencyKey: "order-3" });
  expect(made).toHaveLength(1);
  expect(await charges()).toBe(1);
});

test("two calls with one key at once share their job", async () => {
  const model = createModel();
  const call = () => generate({ model }, { idempotencyKey: "order-4" });
  const [one, two] = await Promise.all([call(), call()]);
  expect(await charges()).toBe(1);
  expect(one.image.base64).toBe(two.image.base64);
});

test("a call keeps its headers for retries after another one with its key was ended", async () => {
  mock.faults.add({ on: submit, status: 503, times: 2 });
  const controller = new AbortController();
  const shops: (string | null)[] = [];
  const model = createImageModel({
    middleware: (request, next, { purpose }) => {
      if (purpose === "submit" && shops.push(request.headers.get("x-shop")) === 2)
        controller.abort();
      return next(request);
    },
  });
  const call = (headers: Record<string, string>, abortSignal?: AbortSignal) =>
    generate(
      { model, headers, ...(abortSignal && { abortSignal }) },
      { idempotencyKey: "order-7" },
    );
  const kept = call({ "x-shop": "berlin" });
  const ended = call({ "x-shop": "paris" }, controller.signal);
  await expect(ended).rejects.toMatchObject({ name: "AbortError" });
  await kept;
  expect(shops.length).toBeGreaterThan(2);
  expect(shops).not.toContain(null);
});

test("images of a call that fails in part are kept, with what recovers the others", async () => {
  mock.nextJob({ outcome: "failed" });
  const { images: made, warnings, calls } = await generate({ n: 3 }, { idempotencyKey: "order-5" });
  expect(made).toHaveLength(2);
  expect(warnings).toEqual([
    { type: "other", message: expect.stringMatching(/^No image for the key order-5-\d: /) },
  ]);
  const { failures } = metadataOf(calls[0]);
  expect(failures).toMatchObject([
    {
      code: "job_failed",
      idempotencyKey: expect.stringMatching(/^order-5-\d$/),
      job: { id: expect.stringMatching(/^job_/) },
    },
  ]);
});

test("the first error is thrown if every image fails", async () => {
  const error = await generate({ n: 2 }, { budget: { maxCredits: 7 } }).catch((it: unknown) => it);
  expect(isTryOnError(error, "budget_exceeded")).toBe(true);
  expect(await charges()).toBe(0);
});

test("a budget is one for all images of a call", async () => {
  const { images: made, warnings } = await generate({ n: 3 }, { budget: { maxCredits: 16 } });
  expect(made).toHaveLength(2);
  expect(warnings).toHaveLength(1);
  expect(await charges()).toBe(2);
});

test("the fields of a call become those of a try-on", async () => {
  await generate(
    {
      prompt: { images: [...images, "https://shop.example/hat.png"], text: "Open the jacket." },
      size: "1536x2048",
      seed: 7,
      headers: { "x-shop": "berlin" },
    },
    { negative_prompt: "hats", metadata: { sku: "42" } },
  );
  expect(sent.bodies).toEqual([
    {
      person_url: images[0],
      garment_urls: [images[1], "https://shop.example/hat.png"],
      prompt: "Open the jacket.",
      output_size: "2K",
      seed: 7,
      negative_prompt: "hats",
      metadata: { sku: "42" },
      wait: true,
    },
  ]);
  expect(sent.headers.get("x-shop")).toBe("berlin");
});

test("bytes and base64 are sent as images", async () => {
  const bytes = Uint8Array.from(atob(await jpeg()), (letter) => letter.codePointAt(0) ?? 0);
  await generate({ prompt: { images: [bytes, await jpeg()] } });
  expect(sent.bodies.at(-1)).toMatchObject({
    person_image_b64: await jpeg(),
    garment_images_b64: [await jpeg()],
  });
});

test("what the service does not have is a warning", async () => {
  const { warnings } = await generate({
    aspectRatio: "16:9",
    size: "1000x1000",
    prompt: { images, mask: "https://shop.example/mask.png" },
  });
  expect(warnings.map((warning) => "feature" in warning && warning.feature)).toEqual([
    "size",
    "aspectRatio",
    "mask",
  ]);
});

test.each<[string, Partial<ImageModelCall>, string]>([
  ["no image", { files: undefined }, "prompt.images must be the photo of the person and then"],
  ["one image", { files: callOptions.files?.slice(0, 1) }, "1 to 3 garments; got 1 image."],
  [
    "five images",
    { files: Array.from({ length: 5 }, () => ({ type: "url", url: "https://a" })) },
    "got 5 images",
  ],
  [
    "an unknown option",
    { providerOptions: { tryon: { idempotencykey: "a" } } },
    "providerOptions.tryon.idempotencykey is unknown",
  ],
  [
    "an empty key",
    { providerOptions: { tryon: { idempotencyKey: "" } } },
    "must be 1 to 190 printable",
  ],
  [
    "a long key",
    { providerOptions: { tryon: { idempotencyKey: "a".repeat(191) } } },
    "must be 1 to 190",
  ],
  ["a seed with a fraction", { seed: 1.5 }, "seed"],
  ["a long prompt", { prompt: "a".repeat(1_001) }, "prompt"],
])("%s is refused before anything is sent", async (_name, options, message) => {
  const error = await createModel()
    .doGenerate({ ...callOptions, ...options })
    .then(undefined, (it: unknown) => it);
  expect(error).toMatchObject({ code: "invalid_input", message: expect.stringContaining(message) });
  expect(sent.bodies).toEqual([]);
});

test("an abort ends the call with its reason", async () => {
  const controller = new AbortController();
  const model = createImageModel({
    middleware: (request, next) => {
      controller.abort(new Error("The user has left."));
      return next(request);
    },
  });
  const generating = generate({ model, abortSignal: controller.signal });
  await expect(generating).rejects.toThrow("The user has left.");
});

test("metadata of an image resumes its job", async () => {
  const { providerMetadata } = await generate();
  const [entry] = metadataOf({ providerMetadata }).images;
  expect(entry?.credits).toBe(8);
  expect(entry?.receipt.jobId).toBe(entry?.job.id);
  const { job } = await mock.clock.runUntil(new TryOn().jobs.resume(entry?.job ?? "").result());
  expect(job.status).toBe("succeeded");
});

interface Metadata {
  readonly images: ReadonlyArray<{
    readonly job: { readonly id: string };
    readonly credits: number;
    readonly receipt: { readonly jobId: string };
  }>;
  readonly failures: readonly unknown[];
}

/** Metadata of a call. The model writes this form. */
const metadataOf = (call: { readonly providerMetadata?: unknown } = {}): Metadata =>
  (call.providerMetadata as { readonly tryon: Metadata }).tryon;

/** Base64 of a small JPEG. */
async function jpeg(): Promise<string> {
  const { default: sharp } = await import("sharp");
  const create = { width: 300, height: 400, channels: 3, background: "#8ac" } as const;
  return (await sharp({ create }).jpeg().toBuffer()).toString("base64");
}
