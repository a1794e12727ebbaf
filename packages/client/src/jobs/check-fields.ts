import { InputError } from "../errors/input-error.ts";
import { isLoopback } from "../guards.ts";
import { imageHint } from "../images/image-input.ts";
import { isEmpty, type Fields } from "./fold-aliases.ts";

const longestTexts = {
  prompt: 1_000,
  style_hint: 500,
  negative_prompt: 500,
  webhook_url: 2_000,
  person_url: 2_000,
  person_image_b64: 14_000_000,
} as const;
const longestImageText = longestTexts.person_image_b64;
const largestSeed = 2_147_483_647;
const mostMetadata = 8;
const longestMetadata = 256;
const sizes = new Set(["1K", "2K", "4K"]);

/** Throws `invalid_input` for what the service is certain to refuse, before anything is sent. */
export function checkFields(fields: Fields): void {
  for (const [name, bound] of Object.entries(longestTexts)) checkLength(fields[name], name, bound);
  const { output_size: size, seed, metadata } = fields;
  if (!isEmpty(size) && !sizes.has(String(size))) {
    throw new InputError("output_size", "is not one of 1K, 2K and 4K");
  }
  if (
    !isEmpty(seed) &&
    !(Number.isInteger(seed) && Number(seed) >= 0 && Number(seed) <= largestSeed)
  ) {
    throw new InputError("seed", `is not a whole number from 0 to ${largestSeed}`, {
      bound: largestSeed,
    });
  }
  if (!isEmpty(metadata)) checkMetadata(metadata);
  if (!isEmpty(fields["webhook_url"])) checkAddress(fields["webhook_url"], "webhook_url");
  if (!isEmpty(fields["person_url"])) checkAddress(fields["person_url"], "person_url");
  checkBase64(fields["person_image_b64"], "person_image_b64");
  for (const [index, text] of listOf(fields["garment_images_b64"]).entries()) {
    checkLength(text, `garment_images_b64.${index}`, longestImageText);
    checkBase64(text, `garment_images_b64.${index}`);
  }
}

/** Throws `invalid_input` unless it is an https address, or http on this machine, which a local service may take. */
export function checkAddress(value: unknown, field: string): void {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname))) {
    checkLength(value, field, longestTexts.person_url);
    return;
  }
  throw new InputError(
    field,
    url?.protocol === "http:" ? "is an http address" : "is not an https address",
    {
      hint: hintFor(String(value), url),
    },
  );
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function hintFor(text: string, url: URL | undefined): string {
  if (url?.protocol === "http:") return "Give https, or the image itself.";
  if (/^data:|^[A-Za-z0-9+/=\s]{200,}$/.test(text.slice(0, 300))) {
    return "Give bytes or a Blob, or base64 without a data: prefix as person_image_b64 or garment_images_b64.";
  }
  return imageHint;
}

function checkLength(value: unknown, field: string, bound: number): void {
  if (typeof value !== "string" || value.length <= bound) return;
  // The service counts characters where JavaScript counts UTF-16 units.
  const length = value.length > 2 * bound ? value.length : Array.from(value).length;
  if (length <= bound) return;
  throw new InputError(field, `has ${length} characters, and the limit is ${bound}`, { bound });
}

function checkBase64(value: unknown, field: string): void {
  if (typeof value !== "string" || !value.startsWith("data:")) return;
  throw new InputError(field, "has a data: prefix", {
    hint: "Send only what follows the comma.",
  });
}

function checkMetadata(metadata: unknown): void {
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata)) {
    throw new InputError("metadata", "is not an object");
  }
  const entries = Object.entries(metadata).filter(([, value]) => value !== undefined);
  if (entries.length > mostMetadata) {
    throw new InputError(
      "metadata",
      `has ${entries.length} keys, and the limit is ${mostMetadata}`,
      {
        bound: mostMetadata,
      },
    );
  }
  for (const [key, value] of entries) {
    const field = `metadata.${key.slice(0, 40)}`;
    checkLength(key, field, longestMetadata);
    checkLength(typeof value === "string" ? value : JSON.stringify(value), field, longestMetadata);
  }
}
