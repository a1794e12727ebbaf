import * as z from "zod";

import type { Options } from "../options.ts";
import { limits } from "../service/catalogue.ts";
import type { SubmissionFields } from "../service/submission.ts";
import { dictionary, text, texts, wholeNumber, word } from "./checks.ts";

const sizeNames = ["1K", "2K", "4K"];
export const statusNames = ["queued", "running", "succeeded", "failed"];

/** The bodies that the service takes, as far as types and bounds of single fields go. Unknown properties pass. */
export interface BodySchemas {
  readonly submission: z.ZodType<SubmissionFields>;
  readonly purchase: z.ZodType<{ pack_slug: string; shared_payment_granted_token: string }>;
}

/** @param jsonTypes whether texts such as "true" and "7" pass for the value they spell. */
export function bodySchemas(jsonTypes: Options["jsonTypes"]): BodySchemas {
  const lax = jsonTypes === "lax";
  const flag = lax ? z.preprocess(readFlag, z.boolean()) : z.boolean();
  const seed = lax
    ? z.preprocess(readNumber, wholeNumber(limits.maxSeed).nullable())
    : wholeNumber(limits.maxSeed).nullable();
  const address = text({ most: limits.urlCharacters }).nullable();
  const size = word(sizeNames, true);
  const images = texts(limits.garments);
  return {
    submission: z.looseObject({
      person_url: address.optional(),
      person: address.optional(),
      model_url: address.optional(),
      input_url: address.optional(),
      person_image_b64: text({ most: limits.imageBase64Characters }).nullable().optional(),
      garment_urls: images.optional(),
      garments: images.optional(),
      clothing: images.optional(),
      items: images.optional(),
      garment_images_b64: images.optional(),
      output_size: size.optional(),
      resolution: size.optional(),
      size: size.optional(),
      prompt: text({ most: limits.promptCharacters }).nullable().optional(),
      style_hint: text({ most: limits.hintCharacters }).nullable().optional(),
      negative_prompt: text({ most: limits.hintCharacters }).nullable().optional(),
      wait: flag.optional(),
      mode: word(["sync", "async"]).optional(),
      webhook_url: address.optional(),
      metadata: dictionary(limits.metadataKeys, limits.metadataCharacters).nullable().optional(),
      seed: seed.optional(),
    }),
    purchase: z.looseObject({
      pack_slug: z.string(),
      shared_payment_granted_token: text(limits.paymentTokenCharacters),
    }),
  };
}

function readFlag(value: unknown): unknown {
  const spelled = typeof value === "number" ? String(value) : value;
  if (typeof spelled !== "string") return value;
  if (/^(true|t|yes|y|on|1)$/i.test(spelled)) return true;
  if (/^(false|f|no|n|off|0)$/i.test(spelled)) return false;
  return value;
}

function readNumber(value: unknown): unknown {
  return typeof value === "string" && /^\s*[+-]?\d+(\.0*)?\s*$/.test(value) ? Number(value) : value;
}
