import { ConfigError, TryOn, type Clock, type OutputSize } from "@tryon/client";

import { environment } from "../config/environment.ts";
import type { Fetch } from "../http/attempt.ts";
import { systemClock } from "../config/clock.ts";
import { redactor, type Redact } from "../http/redact.ts";
import type { ProxyOptions } from "./options.ts";
import { Signer } from "./signer.ts";

/** What visitors may fill in unless it is said otherwise. */
const usualFields = [
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
const usualMaxBody = 15_000_000;
const shortestSecret = 16;

/** What a request may be for, and what a submission may hold. */
export interface Bounds {
  /** Without a slash at the end. */
  readonly basePath: string;
  readonly fields: ReadonlySet<string>;
  readonly sizes: readonly OutputSize[];
  readonly maxBody: number;
  readonly sync: boolean;
}

/** Where requests go, and what they are signed with. */
export interface Upstream {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly signer: Signer;
  readonly redact: Redact;
}

/** The options of any proxy. What takes a visitor or a context of its own kind is not looked at here. */
type Setup = Omit<ProxyOptions, "authorize" | "limit" | "addFields">;

/** Throws `invalid_config` for options that cannot be; key and address are looked at by {@link resolveUpstream}. */
export function checkOptions(options: Setup): Bounds {
  // Types cannot stop those who do not use them.
  const { authorize }: { authorize?: unknown } = Object(options);
  check(
    typeof authorize === "function",
    "createProxy has no authorize.",
    "Give a function that says which user a request comes from; without one, everybody could spend your credits.",
  );
  const { secret, origins = [], sizes = ["1K"], maxBody = usualMaxBody } = options;
  const { basePath = defaultBasePath } = options;
  const fields = new Set<string>(options.fields ?? usualFields);
  check(
    secret === undefined || secret.trim().length >= shortestSecret,
    "secret is too short to sign with.",
    `Give at least ${shortestSecret} random characters, or leave it out.`,
  );
  for (const origin of origins) {
    check(
      URL.canParse(origin) && new URL(origin).origin === origin,
      `origins holds ${JSON.stringify(origin)}, which is no origin.`,
      'Write each one out, without a path, e.g. "https://shop.example".',
    );
  }
  check(
    sizes.length > 0 && sizes.every((size) => /^[124]K$/.test(size)),
    "sizes is no list of sizes.",
    "Give one or more of 1K, 2K and 4K.",
  );
  check(
    maxBody > 0,
    "maxBody is not a number of bytes.",
    `Leave it out for ${usualMaxBody} bytes, or give a number above 0.`,
  );
  check(
    !fields.has("webhook_url"),
    "fields holds webhook_url, which visitors must not choose.",
    "Leave it out: the service would call any address that a visitor names.",
  );
  check(
    URL.canParse(basePath, localhost) && new URL(basePath, localhost).pathname === basePath,
    "basePath is not a path.",
    `Set the path of proxyUrl, such as "${defaultBasePath}", or "/" for the root.`,
  );
  const sync = options.sync ?? true;
  return { basePath: basePath.replace(/\/$/, ""), fields, sizes, maxBody, sync };
}

/** Throws `invalid_config` without a key or an address, and `unsafe_environment` when the key would be at risk. */
export function resolveUpstream(options: Setup): Upstream {
  const { fetch, clock = systemClock, allowInsecure, allowLiveKey } = options;
  const apiKey = (options.apiKey ?? environment("TRYON_API_KEY") ?? "").trim();
  const baseUrl = (options.baseUrl ?? environment("TRYON_BASE_URL") ?? "").toString().trim();
  // It checks both, and is not used for more: this proxy keeps nothing between two requests.
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

export function check(right: boolean, message: string, hint: string): asserts right {
  if (!right) throw new ConfigError("invalid_config", message, hint);
}
