import {
  InputError,
  type Garments,
  type ImageInput,
  type PersonAndGarments,
  type SubmitOptions,
  type TryOnFields,
} from "@tryon/client";
import { hintFor } from "@tryon/shared/known-names";

import type { ImageFile, ImageModelCall, Warning } from "./ai-types.ts";

/** Options of a call, as `providerOptions.tryon`. Fields and limits are those of `run` of `@tryon/client`. */
export interface ProviderOptions
  extends
    Pick<TryOnFields, "output_size" | "negative_prompt" | "metadata" | "webhook_url">,
    Pick<SubmitOptions, "budget" | "keyInMetadata" | "timeout"> {
  /**
   * Idempotency key of the call, up to 190 printable ASCII characters. Image number 1 is submitted under `KEY-1`, and so on. A
   * repeated call with the same key and the same fields gets the same images without another charge.
   *
   * @default a random UUID
   */
  readonly idempotencyKey?: string | undefined;
}

/** Try-on that a call asks for, and its options. */
export interface TryOnCall {
  readonly fields: PersonAndGarments;
  readonly options: Pick<SubmitOptions, "budget" | "keyInMetadata" | "timeout">;
  readonly idempotencyKey: string | undefined;
  readonly warnings: Warning[];
}

const names: Readonly<Record<keyof ProviderOptions, "field" | "option" | "key">> = {
  output_size: "field",
  negative_prompt: "field",
  metadata: "field",
  webhook_url: "field",
  budget: "option",
  keyInMetadata: "option",
  timeout: "option",
  idempotencyKey: "key",
};

/** Sizes of the service by the longer side in pixels. The photo of the person decides the aspect ratio. */
const sizes: Readonly<Record<number, "1K" | "2K" | "4K">> = { 1024: "1K", 2048: "2K", 4096: "4K" };

const maxKeyLength = 190;
const keyPattern = new RegExp(`^[\\x20-\\x7e]{1,${maxKeyLength}}$`);

/** @throws `invalid_input` for a number of images or an option that cannot be used. The client checks the rest. */
export function readCall(call: ImageModelCall): TryOnCall {
  const given = call.providerOptions["tryon"] ?? {};
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(names, name)) {
      const hint = hintFor(name, Object.keys(names));
      throw new InputError(`providerOptions.tryon.${name}`, "is unknown", { hint });
    }
  }
  const pick = (kind: "field" | "option") =>
    Object.fromEntries(
      Object.entries(given).filter(([name]) => names[name as keyof ProviderOptions] === kind),
    );
  const { idempotencyKey } = given as ProviderOptions;
  if (idempotencyKey !== undefined && !keyPattern.test(idempotencyKey)) {
    throw new InputError(
      "providerOptions.tryon.idempotencyKey",
      `must be 1 to ${maxKeyLength} printable ASCII characters`,
      { bound: maxKeyLength },
    );
  }
  const [person, ...garments] = (call.files ?? []).map(imageOf);
  if (person === undefined || garments.length < 1 || garments.length > 3) {
    const count = call.files?.length ?? 0;
    throw new InputError(
      "prompt.images",
      `must be the photo of the person and then 1 to 3 garments; got ${count} ${count === 1 ? "image" : "images"}`,
      { bound: 4, hint: "Pass prompt: { images: [person, garment], text }." },
    );
  }
  const warnings: Warning[] = [];
  const size = sizeOf(call.size, warnings);
  if (call.aspectRatio !== undefined) {
    const details = "The result has the aspect ratio that the service chooses for the photo.";
    warnings.push({ type: "unsupported", feature: "aspectRatio", details });
  }
  if (call.mask !== undefined) {
    const details = "The service finds the clothes by itself.";
    warnings.push({ type: "unsupported", feature: "mask", details });
  }
  const fields: PersonAndGarments = {
    person,
    // Counted above.
    garments: garments as readonly ImageInput[] as Garments,
    ...(call.prompt !== undefined && { prompt: call.prompt }),
    ...(call.seed !== undefined && { seed: call.seed }),
    ...(size !== undefined && { output_size: size }),
    ...pick("field"),
  };
  return { fields, options: pick("option"), idempotencyKey, warnings };
}

function sizeOf(size: string | undefined, warnings: Warning[]): "1K" | "2K" | "4K" | undefined {
  if (size === undefined) return undefined;
  const known = sizes[Math.max(...size.split("x").map(Number))];
  if (known === undefined) {
    const details = `The longer side must be 1024, 2048 or 4096 pixels; got ${size}. The default is used.`;
    warnings.push({ type: "unsupported", feature: "size", details });
  }
  return known;
}

function imageOf(file: ImageFile): ImageInput {
  if (file.type === "url") return file.url;
  return typeof file.data === "string" ? { base64: file.data } : file.data;
}
