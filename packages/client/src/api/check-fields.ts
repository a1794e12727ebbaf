import { isLoopback } from "@tryon/shared/key-url";
import { likelyName } from "@tryon/shared/known-names";

import type { Note } from "../errors/input-issue.ts";
import type { TryOnRequest } from "@tryon/spec/openapi";
import { aliases, isEmpty, isRecord, maxMetadataKeys, type Fields } from "./canonical-fields.ts";

/** Adds a hint to a value that may be a path. */
type DescribePath = (value: unknown) => string;
type Check = (value: unknown, field: string, note: Note, describePath: DescribePath) => void;

const maxSeed = 2_147_483_647;
const maxUrlLength = 2_000;
const maxMetadataLength = 256;

export type FieldName = Exclude<keyof TryOnRequest, keyof typeof aliases>;

/** Every field that the client knows, except aliases, and its maximum length or the check of its value. */
const checks: Readonly<Record<FieldName, number | Check | undefined>> = {
  prompt: 1_000,
  style_hint: 500,
  negative_prompt: 500,
  output_size: (value, field, note) => {
    if (!/^[124]K$/.test(String(value))) note("not_allowed", field, "one of 1K, 2K and 4K");
  },
  seed: (value, field, note) => {
    const seed = Number.isInteger(value) ? Number(value) : -1;
    if (seed < 0 || seed > maxSeed)
      note("not_allowed", field, `a whole number from 0 to ${maxSeed}`, maxSeed);
  },
  metadata: checkMetadata,
  webhook_url: checkUrl,
  person_url: checkUrl,
  // The caller checks images.
  person: undefined,
  garments: undefined,
  person_image_b64: undefined,
  garment_urls: undefined,
  garment_images_b64: undefined,
  // Any other value has no effect.
  wait: undefined,
  mode: undefined,
};

/** Fields without an effect if the other field is set. */
const ignored = [
  ["style_hint", "prompt"],
  ["person_url", "person_image_b64"],
] as const;

export function checkFields(fields: Fields, note: Note, describePath: DescribePath): void {
  for (const [name, check] of Object.entries(checks)) {
    const value = fields[name];
    if (isEmpty(value)) continue;
    if (typeof check === "number") checkLength(value, check, name, note);
    else check?.(value, name, note, describePath);
  }
  for (const [name, other] of ignored) {
    if (!isEmpty(fields[name]) && !isEmpty(fields[other])) note("ignored", name, other);
  }
}

export function checkNames(fields: Fields, extra: unknown, note: Note): void {
  const known = { ...checks, ...aliases };
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || Object.hasOwn(known, name)) continue;
    const likely = likelyName(name, Object.keys(known));
    note("unknown_field", name.slice(0, 40), likely ? ` (did you mean ${likely}?)` : "");
  }
  if (extra === undefined) return;
  if (!isRecord(extra)) return note("not_allowed", "extra", "an object");
  for (const name of Object.keys(extra).filter((key) => Object.hasOwn(known, key))) {
    note("not_allowed", `extra.${name}`, `a new field: set ${name} instead`);
  }
}

export function checkUrl(
  value: unknown,
  field: string,
  note: Note,
  describePath: DescribePath,
): void {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  const isLocal = url?.protocol === "http:" && isLoopback(url.hostname);
  if (url?.protocol !== "https:" && !isLocal) return note("not_https", field, describePath(value));
  // The service documents no maximum for garments.
  if (!field.startsWith("garment")) checkLength(value, maxUrlLength, field, note);
}

function checkMetadata(metadata: unknown, field: string, note: Note): void {
  if (!isRecord(metadata)) return note("not_allowed", field, "an object");
  const entries = Object.entries(metadata).filter(([, value]) => value !== undefined);
  const { length } = entries;
  if (length > maxMetadataKeys) return note("too_many", field, length, maxMetadataKeys);
  for (const [key, value] of entries) {
    const path = `${field}.${key.slice(0, 40)}`;
    checkLength(key, maxMetadataLength, path, note);
    const isJson = typeof value !== "string";
    checkLength(isJson ? JSON.stringify(value) : value, maxMetadataLength, path, note, isJson);
  }
}

function checkLength(value: unknown, max: number, field: string, note: Note, isJson = false) {
  if (typeof value !== "string" || value.length <= max) return;
  // The service counts characters, JavaScript UTF-16 units.
  const length = value.length > 2 * max ? value.length : Array.from(value).length;
  if (length > max) note(isJson ? "long_json" : "too_long", field, length, max);
}
