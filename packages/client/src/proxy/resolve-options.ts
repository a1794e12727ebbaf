import { ConfigError, TryOn, type Clock, type OutputSize } from "@tryon/client";

import { environment } from "../config/environment.ts";
import type { Fetch } from "../http/attempt.ts";
import { systemClock } from "../config/clock.ts";
import { redactor, type Redact } from "../errors/redact.ts";
import type { ProxyOptions } from "./options.ts";
import { Signer } from "./signer.ts";

const defaultFields = [
  "person_url",
  "person_image_b64",
  "garment_urls",
  "garment_images_b64",
  "prompt",
  "negative_prompt",
  "seed",
] as const;

const localhost = "http://localhost";
const defaultBasePath = "/api/tryon";
const defaultMaxBody = 15_000_000;
const minSecretLength = 16;

/** Options with their defaults. */
export interface ResolvedOptions {
  /** Path without a trailing slash. */
  readonly basePath: string;
  readonly fields: ReadonlySet<string>;
  readonly sizes: readonly OutputSize[];
  readonly maxBody: number;
  readonly sync: boolean;
}

/** Access to the service, and the signer of its ids. */
export interface Upstream {
  /** URL without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly signer: Signer;
  readonly redact: Redact;
}

/** Options that do not depend on the type of the user or the context. */
type CommonOptions = Omit<ProxyOptions, "authorize" | "limit" | "addFields">;

/** Checks all options except the key and the URL, and throws `invalid_config` if one is invalid. */
export function resolveOptions(options: CommonOptions): ResolvedOptions {
  // Callers without types can leave it out.
  const { authorize }: { authorize?: unknown } = Object(options);
  check(
    typeof authorize === "function",
    "authorize must be a function.",
    "Set a function that returns the user of a request. Without it, anyone could spend your credits.",
  );
  const { secret, origins = [], sizes = ["1K"], maxBody = defaultMaxBody } = options;
  const { basePath = defaultBasePath } = options;
  const fields = new Set<string>(options.fields ?? defaultFields);
  check(
    secret === undefined || secret.trim().length >= minSecretLength,
    `secret must have at least ${minSecretLength} characters.`,
    "Set a random string, or omit the option to sign with the API key.",
  );
  for (const origin of origins) {
    check(
      URL.canParse(origin) && new URL(origin).origin === origin,
      `origins must contain only origins, but contains ${JSON.stringify(origin)}.`,
      'Set each origin without a path, such as "https://shop.example".',
    );
  }
  check(
    sizes.length > 0 && sizes.every((size) => /^[124]K$/.test(size)),
    "sizes must contain one or more of 1K, 2K and 4K.",
    'Set a list such as ["1K", "2K"].',
  );
  check(
    maxBody > 0,
    "maxBody must be a number of bytes above 0.",
    `Omit the option for ${defaultMaxBody} bytes.`,
  );
  check(
    !fields.has("webhook_url"),
    "fields must not contain webhook_url.",
    "Remove it: the service would call any URL that a user chooses. Set webhook_url in addFields.",
  );
  check(
    URL.canParse(basePath, localhost) && new URL(basePath, localhost).pathname === basePath,
    "basePath must be a path.",
    `Set the path of proxyUrl, such as "${defaultBasePath}", or "/" for the root.`,
  );
  const sync = options.sync ?? true;
  return { basePath: basePath.replace(/\/$/, ""), fields, sizes, maxBody, sync };
}

/** Throws `invalid_config` without a valid key and URL, and `unsafe_environment` if the key would be at risk. */
export function resolveUpstream(options: CommonOptions): Upstream {
  const { fetch, clock = systemClock, allowInsecure, allowLiveKey } = options;
  const apiKey = (options.apiKey ?? environment("TRYON_API_KEY") ?? "").trim();
  const baseUrl = (options.baseUrl ?? environment("TRYON_BASE_URL") ?? "").toString().trim();
  // Only checks both: a client that sends requests would keep state between them.
  const checked = new TryOn({ apiKey, baseUrl, fetch, allowInsecure, allowLiveKey });
  return {
    apiKey,
    baseUrl: String(checked.toJSON().baseUrl).replace(/\/+$/, ""),
    fetch: (url, init) => (fetch ?? globalThis.fetch)(url, init),
    clock,
    signer: new Signer(options.secret ?? apiKey),
    redact: redactor(apiKey),
  };
}

export function check(isValid: boolean, message: string, hint: string): asserts isValid {
  if (!isValid) throw new ConfigError("invalid_config", message, hint);
}
