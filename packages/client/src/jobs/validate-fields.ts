import { isLoopback } from "../config/check-environment.ts";
import { isEmpty, type Fields } from "./fold-aliases.ts";
import type { Note } from "./input-issue.ts";

const longestTexts = { prompt: 1_000, style_hint: 500, negative_prompt: 500 } as const;
const longestAddress = 2_000;
const largestSeed = 2_147_483_647;
const mostMetadata = 8;
const longestMetadata = 256;
/** Fields that the service does not look at when the other one is there. */
const idle = [
  ["style_hint", "prompt"],
  ["person_url", "person_image_b64"],
] as const;

/** Notes what is wrong with the fields of the wire, but the images in them. */
export function checkFields(fields: Fields, note: Note): void {
  const { output_size: size, seed, metadata } = fields;
  for (const [name, bound] of Object.entries(longestTexts)) {
    checkLength(fields[name], name, bound, note);
  }
  if (!isEmpty(size) && !/^[124]K$/.test(String(size))) {
    note("not_allowed", "output_size", "one of 1K, 2K and 4K");
  }
  if (
    !isEmpty(seed) &&
    !(Number.isInteger(seed) && Number(seed) >= 0 && Number(seed) <= largestSeed)
  ) {
    note("not_allowed", "seed", `a whole number from 0 to ${largestSeed}`, largestSeed);
  }
  if (!isEmpty(metadata)) checkMetadata(metadata, note);
  for (const name of ["webhook_url", "person_url"]) {
    if (!isEmpty(fields[name])) checkAddress(fields[name], name, note);
  }
  for (const [name, other] of idle) {
    if (!isEmpty(fields[name]) && !isEmpty(fields[other])) note("ignored", name, other);
  }
}

/** An address has to be https, or http on this machine, which a local service may take. */
export function checkAddress(value: unknown, field: string, note: Note): void {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname))) {
    checkLength(value, field, longestAddress, note);
  } else {
    note("not_https", field);
  }
}

function checkMetadata(metadata: unknown, note: Note): void {
  if (typeof metadata !== "object" || Array.isArray(metadata)) {
    return note("not_allowed", "metadata", "an object");
  }
  const entries = Object.entries(Object(metadata)).filter(([, value]) => value !== undefined);
  const { length } = entries;
  if (length > mostMetadata) return note("too_many", "metadata", length, mostMetadata);
  for (const [key, value] of entries) {
    const field = `metadata.${key.slice(0, 40)}`;
    checkLength(key, field, longestMetadata, note);
    const text = typeof value === "string" ? value : JSON.stringify(value);
    checkLength(text, field, longestMetadata, note);
  }
}

function checkLength(value: unknown, field: string, bound: number, note: Note): void {
  if (typeof value !== "string" || value.length <= bound) return;
  // The service counts characters where JavaScript counts UTF-16 units.
  const length = value.length > 2 * bound ? value.length : Array.from(value).length;
  if (length > bound) note("too_long", field, length, bound);
}
