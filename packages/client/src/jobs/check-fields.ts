import { isEmpty, type Fields } from "../api/canonical-fields.ts";
import { isLoopback } from "../config/resolve-config.ts";
import { likelyName } from "../config/check-options.ts";
import type { Note } from "../errors/input-issue.ts";
import type { TryOnRequest } from "../generated/openapi.ts";

/** Notes problems of a value that is not empty. */
type Check = (value: unknown, field: string, note: Note) => void;

const maxSeed = 2_147_483_647;
const maxUrlLength = 2_000;
/** Maximum number of keys in the metadata. */
export const maxMetadataKeys = 8;
const maxMetadataLength = 256;

/** Every field that the client knows, aliases included, and the check of its value. */
const checks: Readonly<Record<keyof TryOnRequest, Check | undefined>> = {
  prompt: maxLength(1_000),
  style_hint: maxLength(500),
  negative_prompt: maxLength(500),
  output_size: (value, field, note) => {
    if (!/^[124]K$/.test(String(value))) note("not_allowed", field, "one of 1K, 2K and 4K");
  },
  seed: (value, field, note) => {
    const isSeed = Number.isInteger(value) && Number(value) >= 0 && Number(value) <= maxSeed;
    if (!isSeed) note("not_allowed", field, `a whole number from 0 to ${maxSeed}`, maxSeed);
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
  // Aliases, which are checked under their canonical names.
  resolution: undefined,
  size: undefined,
  mode: undefined,
  model_url: undefined,
  input_url: undefined,
  clothing: undefined,
  items: undefined,
};

/** Fields without an effect if the other field is set. */
const ignored = [
  ["style_hint", "prompt"],
  ["person_url", "person_image_b64"],
] as const;

/** Notes problems of canonical fields, except those of images. */
export function checkFields(fields: Fields, note: Note): void {
  for (const [name, check] of Object.entries(checks)) {
    if (!isEmpty(fields[name])) check?.(fields[name], name, note);
  }
  for (const [name, other] of ignored) {
    if (!isEmpty(fields[name]) && !isEmpty(fields[other])) note("ignored", name, other);
  }
}

/** Notes unknown fields, with the name that they most likely mean, and known fields in `extra`. */
export function checkNames(fields: Fields, extra: unknown, note: Note): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || Object.hasOwn(checks, name)) continue;
    const likely = likelyName(name, checks);
    note("unknown_field", name.slice(0, 40), likely ? ` (did you mean ${likely}?)` : "");
  }
  if (extra === undefined) return;
  if (typeof extra !== "object" || extra === null || Array.isArray(extra)) {
    return note("not_allowed", "extra", "an object");
  }
  for (const name of Object.keys(extra).filter((key) => Object.hasOwn(checks, key))) {
    note("not_allowed", `extra.${name}`, `a new field: set ${name} instead`);
  }
}

/** Notes a URL that is neither https nor, for a local service, http on this machine. */
export function checkUrl(value: unknown, field: string, note: Note): void {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname))) {
    maxLength(maxUrlLength)(value, field, note);
  } else {
    note("not_https", field);
  }
}

function checkMetadata(metadata: unknown, field: string, note: Note): void {
  if (typeof metadata !== "object" || Array.isArray(metadata)) {
    return note("not_allowed", field, "an object");
  }
  const entries = Object.entries(Object(metadata)).filter(([, value]) => value !== undefined);
  const { length } = entries;
  if (length > maxMetadataKeys) return note("too_many", field, length, maxMetadataKeys);
  const checkLength = maxLength(maxMetadataLength);
  for (const [key, value] of entries) {
    const path = `${field}.${key.slice(0, 40)}`;
    checkLength(key, path, note);
    checkLength(typeof value === "string" ? value : JSON.stringify(value), path, note);
  }
}

function maxLength(max: number): Check {
  return (value, field, note) => {
    if (typeof value !== "string" || value.length <= max) return;
    // The service counts characters, JavaScript UTF-16 units.
    const length = value.length > 2 * max ? value.length : Array.from(value).length;
    if (length > max) note("too_long", field, length, max);
  };
}
