import {
  Budget,
  isTryOnError,
  TryOn,
  type Middleware,
  type TryOnOptions,
  type TryOnResult,
} from "@tryon/client";

import type { ImageModel, ImageModelResult } from "./ai-types.ts";
import { readCall } from "./read-call.ts";

/** Options of the client that the model uses. */
export type ImageModelOptions = TryOnOptions;

type Headers = Readonly<Record<string, string | undefined>>;

/** Image of a call, or the error that it ended with. */
type Outcome =
  | { readonly key: string; readonly bytes: Uint8Array; readonly result: TryOnResult }
  | { readonly key: string; readonly error: unknown };

/** One call has any number of images, so that `generateImage` does not split it. It divides by this number. */
const maxImagesPerCall = Number.MAX_SAFE_INTEGER;

/**
 * Creates an image model of the Vercel AI SDK 7. The first image of the prompt is the photo of the person, and the next one to
 * three are garments. Each image is a try-on with its own charge.
 *
 * No failure makes the AI SDK pay again: the client retries by itself under one idempotency key, and its errors are not
 * retryable for the AI SDK. `n` images are submitted at once, as `KEY-1` to `KEY-n`. If some of them fail, the others are
 * returned, with a warning for each failure. `providerMetadata.tryon` of the call has `images` and `failures`, with the job,
 * the credits and what recovers them.
 *
 * @param options - Options of the `TryOn` client, such as `apiKey` (default: `TRYON_API_KEY`).
 * @throws `invalid_config` for an invalid option. Calls throw the errors of `run` of the client, unwrapped.
 * @example
 * import { createImageModel } from "@tryon/ai-sdk";
 * import { generateImage } from "ai";
 *
 * const { image } = await generateImage({
 *   model: createImageModel(),
 *   prompt: { images: ["https://shop.example/me.jpg", "https://shop.example/shirt.png"] },
 *   providerOptions: { tryon: { idempotencyKey: "order-1042" } },
 * });
 */
export function createImageModel(options: ImageModelOptions = {}): ImageModel {
  /** Images in flight. Two calls at once can have one key, and so one job. */
  const open = new Set<{ readonly key: string; readonly headers: Headers }>();
  const addHeaders: Middleware = (request, next, { idempotencyKey }) => {
    const { headers = {} } = [...open].find(({ key }) => key === idempotencyKey) ?? {};
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined) request.headers.set(name, value);
    return next(request);
  };
  const tryon = new TryOn({
    ...options,
    middleware: [addHeaders, options.middleware ?? []].flat(),
  });
  /** Numbers of images in flight. The parts of a call have one object of headers. */
  const numbers = new WeakMap<object, Set<number>>();

  return {
    specificationVersion: "v4",
    provider: "tryon",
    modelId: "virtual-try-on",
    maxImagesPerCall,
    supportsFileInputs: true,
    supportsMaskInputs: false,
    async doGenerate(call) {
      const timestamp = new Date();
      const { fields, options: given, idempotencyKey, warnings } = readCall(call);
      const base = idempotencyKey ?? crypto.randomUUID();
      const budget =
        given.budget && !(given.budget instanceof Budget) ? new Budget(given.budget) : given.budget;
      const { abortSignal: signal, headers = {} } = call;
      const taken = numbers.get(headers) ?? new Set();
      numbers.set(headers, taken);
      const own = takeNumbers(taken, call.n);
      const generate = async (key: string): Promise<Outcome> => {
        const image = { key, headers };
        open.add(image);
        try {
          const result = await tryon.run(fields, { ...given, budget, signal, idempotencyKey: key });
          const bytes = await result.image.bytes({ signal, timeout: given.timeout });
          return { key, bytes, result };
        } catch (error) {
          return { key, error };
        } finally {
          open.delete(image);
        }
      };
      try {
        const outcomes = await Promise.all(own.map((number) => generate(`${base}-${number}`)));
        const made = outcomes.filter((it) => "bytes" in it);
        const failed = outcomes.filter((it) => "error" in it);
        const [first] = failed;
        if (first && (made.length === 0 || signal?.aborted)) throw first.error;
        for (const { key, error } of failed) {
          const message = `No image for the key ${key}: ${messageOf(error)}`;
          warnings.push({ type: "other", message });
        }
        return {
          images: made.map(({ bytes }) => bytes),
          warnings,
          response: { timestamp, modelId: "virtual-try-on", headers: undefined },
          providerMetadata: {
            tryon: {
              images: made.map(({ result }) => metadataOf(result)),
              failures: failed.map(failureOf),
            },
          },
        };
      } finally {
        for (const number of own) taken.delete(number);
      }
    },
  };
}

/**
 * Returns the lowest numbers that no other part of the call uses. `generateImage` starts the parts of a call that it splits at
 * once. A part that is repeated after its end gets its numbers again.
 */
function takeNumbers(taken: Set<number>, count: number): readonly number[] {
  const numbers: number[] = [];
  for (let number = 1; numbers.length < count; number += 1) {
    if (taken.has(number)) continue;
    taken.add(number);
    numbers.push(number);
  }
  return numbers;
}

function metadataOf({ job, receipt }: TryOnResult): Metadata["images"][number] {
  return jsonOf({ job: job.toJSON(), credits: receipt.credits ?? null, receipt });
}

function failureOf({
  key,
  error,
}: Extract<Outcome, { error: unknown }>): Metadata["images"][number] {
  const { code, job } = isTryOnError(error) ? error : { code: undefined, job: undefined };
  return jsonOf({ idempotencyKey: key, message: messageOf(error), code, job: job?.toJSON() });
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

type Metadata = NonNullable<ImageModelResult["providerMetadata"]>[string];

/** Returns the value as it is in JSON, without fields that are undefined. */
function jsonOf(value: object): Metadata["images"][number] {
  // JSON has no other values.
  return JSON.parse(JSON.stringify(value)) as Metadata["images"][number];
}
