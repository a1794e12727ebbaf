import * as z from "zod";

import type { Options } from "../options.ts";
import { limits, packs, sizeNames } from "../service/catalogue.ts";
import type { SubmissionFields } from "../service/submission.ts";

const jobStatus = z.enum(["queued", "running", "succeeded", "failed"]);

export type RequestSchemas = ReturnType<typeof requestSchemas>;

/**
 * Creates the schemas of the inputs of every endpoint, one property for each part of a request. They check types and
 * bounds of single fields; unknown properties are left out.
 */
export function requestSchemas(options: Options) {
  const { jsonTypes, maxLimit, limitBounds, metadataCount, unknownPack } = options;
  const lax = jsonTypes === "lax";
  const flag = lax ? z.preprocess(readFlag, z.boolean()) : z.boolean();
  const integer = integerBetween(0, limits.maxSeed).nullable();
  const url = text(0, limits.urlCharacters).nullable().optional();
  const size = word(sizeNames, (value) => value.toUpperCase()).optional();
  const images = textList(limits.garments).optional();
  const body: z.ZodType<SubmissionFields> = z.object({
    person_url: url,
    person: url,
    model_url: url,
    input_url: url,
    person_image_b64: text(0, limits.imageBase64Characters).nullable().optional(),
    garment_urls: images,
    garments: images,
    clothing: images,
    items: images,
    garment_images_b64: images,
    output_size: size,
    resolution: size,
    size,
    prompt: text(0, limits.promptCharacters).nullable().optional(),
    style_hint: text(0, limits.hintCharacters).nullable().optional(),
    negative_prompt: text(0, limits.hintCharacters).nullable().optional(),
    wait: flag.optional(),
    mode: word(["sync", "async"]).optional(),
    webhook_url: url,
    metadata: dictionary(metadataCount).nullable().optional(),
    seed: (lax ? z.preprocess(readNumber, integer) : integer).optional(),
  });
  const { least, most } = limits.paymentTokenCharacters;
  return {
    submission: z.object({
      header: z.object({ "Idempotency-Key": text(0, limits.idempotencyKeyCharacters).optional() }),
      body,
    }),
    list: z.object({
      query: z.object({
        limit: z
          .string()
          .regex(/^[+-]?\d+$/)
          .transform(limitBounds === "clamp" ? (digits) => clamp(Number(digits), maxLimit) : Number)
          .pipe(integerBetween(1, maxLimit))
          .default(limits.defaultPage),
        cursor: z.string().optional(),
        status_filter: jobStatus.optional(),
        status: jobStatus.optional(),
      }),
    }),
    purchase: z.object({
      body: z.looseObject({
        pack_slug: unknownPack === 422 ? word(Object.keys(packs)) : z.string(),
        shared_payment_granted_token: text(least, most),
      }),
    }),
  };
}

function clamp(limit: number, max: number): number {
  return Math.min(Math.max(limit, 1), max);
}

function readFlag(value: unknown): unknown {
  const written = typeof value === "number" ? String(value) : value;
  if (typeof written !== "string") return value;
  if (/^(true|t|yes|y|on|1)$/i.test(written)) return true;
  if (/^(false|f|no|n|off|0)$/i.test(written)) return false;
  return value;
}

function readNumber(value: unknown): unknown {
  return typeof value === "string" && /^\s*[+-]?\d+(\.0*)?\s*$/.test(value) ? Number(value) : value;
}

/** A string of `min` to `max` code points; zod itself counts an emoji as two characters. */
function text(min: number, max: number): z.ZodString {
  return z.string().check(({ value, issues }) => {
    const issue = { origin: "string", input: value } as const;
    if (isLonger(value, max)) issues.push({ ...issue, code: "too_big", maximum: max });
    else if (min > 0 && !isLonger(value, min - 1))
      issues.push({ ...issue, code: "too_small", minimum: min });
  });
}

function isLonger(value: string, max: number): boolean {
  if (value.length <= max) return false;
  let count = 0;
  for (let index = 0; index < value.length && count <= max; index += 1) {
    count += 1;
    if ((value.codePointAt(index) ?? 0) > 0xff_ff) index += 1;
  }
  return count > max;
}

function word(
  values: readonly string[],
  normalize = (value: string): string => value,
): z.ZodString {
  return z.string().check(({ value, issues }) => {
    if (values.includes(normalize(value))) return;
    issues.push({ code: "invalid_value", values: [...values], input: value });
  });
}

/** A list of at most `max` strings. Its length is not checked when an element is not a string. */
function textList(max: number): z.ZodArray<z.ZodString> {
  return z.array(z.string()).check(({ value, issues }) => {
    if (value.length <= max) return;
    issues.push({ code: "too_big", origin: "array", maximum: max, input: value });
  });
}

/** A whole number; its bounds are not checked for a fraction. */
function integerBetween(min: number, max: number): z.ZodNumber {
  const integer = z.number().check(({ value, issues }) => {
    if (!Number.isInteger(value)) {
      issues.push({ code: "invalid_type", expected: "int", input: value, continue: false });
    }
  });
  return integer.min(min).max(max);
}

/** An object with the limits of metadata. `counted` selects the parts of its entries that have a limit. */
function dictionary(
  counted: Options["metadataCount"],
): z.ZodType<Readonly<Record<string, unknown>>> {
  const { metadataKeys: maxKeys, metadataCharacters: max } = limits;
  // z.record would copy the object and drop its "__proto__".
  return z.custom<Readonly<Record<string, unknown>>>().check(({ value, issues }) => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) {
      issues.push({ code: "invalid_type", expected: "record", input: value });
      return;
    }
    const entries = Object.entries(value);
    const issue = { code: "too_big", input: value } as const;
    if (entries.length > maxKeys) issues.push({ ...issue, origin: "record", maximum: maxKeys });
    for (const [key, item] of entries) {
      const written =
        typeof item === "string" ? item : counted === "json" ? JSON.stringify(item) : "";
      const long = { ...issue, origin: "string", maximum: max };
      if (isLonger(key, max)) issues.push({ ...long, path: [key, "[key]"] });
      if (counted !== "keys" && isLonger(written, max)) issues.push({ ...long, path: [key] });
    }
  });
}
