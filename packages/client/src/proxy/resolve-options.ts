import { ConfigError, TryOn } from "@tryon/client";

import { systemClock } from "../config/clock.ts";
import { environment } from "../config/resolve-config.ts";
import { unknownName } from "../config/check-options.ts";
import { redactor } from "../errors/redact.ts";
import type { ProxyError, ProxyOptions } from "./options.ts";
import { Signer } from "./signer.ts";

const optionNames: Readonly<Record<keyof ProxyOptions, true>> = {
  authorize: true,
  apiKey: true,
  baseUrl: true,
  basePath: true,
  secret: true,
  limit: true,
  fields: true,
  sizes: true,
  maxBody: true,
  sync: true,
  origins: true,
  allow: true,
  addFields: true,
  exposeCredits: true,
  onError: true,
  fetch: true,
  clock: true,
  allowInsecure: true,
  allowLiveKey: true,
};

const defaultFields =
  "person_url person_image_b64 garment_urls garment_images_b64 prompt negative_prompt seed".split(
    " ",
  );
const defaultBasePath = "/api/tryon";
const defaultMaxBody = 15_000_000;
const minSecretLength = 32;

/** Options with their defaults, and access to the service. */
export type ProxySettings = ReturnType<typeof resolveOptions>;
/** Options for one request, with access to the service. */
export type RequestSettings = ProxySettings & ReturnType<typeof connect>;

/** Checks all options, and throws `invalid_config` if one is invalid. Does not read the environment. */
export function resolveOptions(given: ProxyOptions) {
  const options = { ...given };
  checkNames("createProxy", options, optionNames);
  const { apiKey, secret, basePath = defaultBasePath, maxBody = defaultMaxBody } = options;
  const { origins = [], sizes = ["1K"], fields = defaultFields } = options;
  check(
    typeof options.authorize === "function",
    "authorize must be a function.",
    "Set a function that returns the user of a request. Without it, anyone could spend your credits.",
  );
  check(
    secret === undefined ? typeof apiKey !== "function" : secret.trim().length >= minSecretLength,
    `secret must have at least ${minSecretLength} characters. It is required if apiKey is a function.`,
    "Set random characters, such as the output of `openssl rand -base64 32`.",
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
    !fields.includes("webhook_url"),
    "fields must not contain webhook_url.",
    "Remove it: the service would call any URL that a user chooses. Set webhook_url in addFields.",
  );
  const localhost = "http://localhost";
  check(
    URL.canParse(basePath, localhost) && new URL(basePath, localhost).pathname === basePath,
    "basePath must be a path.",
    `Set the path of proxyUrl, such as "${defaultBasePath}", or "/" for the root.`,
  );
  let fixed: ReturnType<typeof connect> | undefined;
  if (typeof apiKey === "function") createClient(apiKey, options);
  else if (apiKey !== undefined && options.baseUrl !== undefined) fixed = connect(apiKey, options);
  return {
    ...options,
    /** Path without a trailing slash. */
    basePath: basePath.replace(/\/$/, ""),
    maxBody,
    origins,
    sizes,
    fields,
    allow: options.allow ?? {},
    sync: options.sync ?? true,
    clock: options.clock ?? systemClock,
    onError: options.onError ?? logError,
    upstream: async () =>
      typeof apiKey === "function"
        ? connect(await apiKey(), options)
        : (fixed ??= connect(apiKey ?? environment("TRYON_API_KEY") ?? "", options)),
  };
}

/** Throws `invalid_config` without a valid key and URL, and `unsafe_environment` if the key would be at risk. */
function connect(key: string, options: ProxyOptions) {
  const apiKey = key.trim();
  const { serviceUrl: baseUrl } = createClient(apiKey, options);
  const signer = new Signer(options.secret ?? apiKey);
  return { apiKey, baseUrl, redact: redactor(apiKey), signer };
}

/** Creates a client that only checks the key and the URL. One that sends requests would keep state between them. */
function createClient(
  apiKey: ProxyOptions["apiKey"],
  { baseUrl, fetch, allowInsecure, allowLiveKey }: ProxyOptions,
): TryOn {
  return new TryOn({ apiKey, baseUrl, fetch, allowInsecure, allowLiveKey });
}

/** Throws `invalid_config` if an option has an unknown name, and suggests the likely one. */
export function checkNames(owner: string, options: object, names: Readonly<Record<string, true>>) {
  const unknown = unknownName(options, names);
  if (unknown) check(false, `${unknown.name} is not an option of ${owner}.`, unknown.hint);
}

export function check(isValid: boolean, message: string, hint: string): asserts isValid {
  if (!isValid) throw new ConfigError("invalid_config", message, hint);
}

/** Default of `onError`. */
function logError(error: ProxyError): void {
  // oxlint-disable-next-line no-console
  console.error("@tryon/client/proxy:", error.message, error.cause ?? "");
}
