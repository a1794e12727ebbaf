import { InputError, TryOn } from "@tryon/client";

import { credentialProblem } from "@tryon/shared/credential";

import { defaultClock } from "../config/clock.ts";
import { readDuration, environment, unknownOption, unknownName } from "../config/resolve-config.ts";
import type { MaxRefusals, ProxyOptions, ProxyRefusal } from "./options.ts";
import type { QuotaStore } from "./quota-store.ts";
import { createRefusalLimit } from "./refusal-limit.ts";
import { Signer } from "./signer.ts";

const defaultFields =
  "person_url person_image_b64 garment_urls garment_images_b64 prompt negative_prompt seed";
const defaultBasePath = "/api/tryon";
const defaultMaxBody = 15_000_000;
const minSecretLength = 32;

export type ProxySettings = ReturnType<typeof resolveOptions>;

export function resolveOptions(given: ProxyOptions) {
  const options = { ...given };
  const { authorize, apiKey, baseUrl, allowInsecure, allowLiveKey } = options;
  const { fetch, transport, agent, clock, maxBody = defaultMaxBody } = options;
  const secret = options.secret?.trim();
  const { fields = defaultFields.split(" "), basePath = defaultBasePath } = options;
  const { origins = [], sizes = ["1K"], allow = {}, sync } = options;
  const onError =
    options.onError ??
    // oxlint-disable-next-line no-console
    (({ message, cause = "" }) => console.error("@tryon/client/proxy:", message, cause));
  const invalidOrigin = origins.find(
    (origin) => !URL.canParse(origin) || new URL(origin).origin !== origin,
  );
  const { maxRefusals, onRefusal = warnOfRefusal } = options;
  const unknownPart = unknownName(Object(maxRefusals), { count: true, per: true, store: true });
  const unknownKind = unknownName(allow, { list: true, account: true, purchase: true });
  // An own secret may be words with spaces.
  const isQuoted = credentialProblem(secret ?? "") === "quoted";
  // A function as apiKey requires a secret.
  const fixedKey = typeof apiKey === "function" ? secret : apiKey;
  const localhost = "http://localhost";
  checkOptions<ProxyOptions>("createProxy", options, {
    authorize: [
      typeof authorize === "function",
      "must be a function",
      "Set a function that returns the user of a request. Without it, anyone could spend your credits.",
    ],
    apiKey: undefined,
    baseUrl: undefined,
    basePath: [
      URL.canParse(basePath, localhost) && new URL(basePath, localhost).pathname === basePath,
      "must be a path",
      `Set the path of proxyUrl, such as "${defaultBasePath}", or "/" for the root.`,
    ],
    secret: [
      secret === undefined
        ? typeof apiKey !== "function"
        : !isQuoted && secret.length >= minSecretLength,
      isQuoted
        ? "has quotes around it"
        : `must have at least ${minSecretLength} characters, and is required if apiKey is a function`,
      "Set random characters, such as the output of `openssl rand -base64 32`.",
    ],
    limit: [
      options.limit === undefined || typeof options.limit === "function",
      "must be a function",
      "Set createQuota({ perDay: 20 }), or a function that returns true for an allowed request.",
    ],
    maxRefusals: [
      unknownPart === undefined && isMaxRefusals(maxRefusals),
      unknownPart
        ? `has no field ${unknownPart.name}`
        : "must be an object of count, a whole number from 1 up, and per, 1 minute to 30 days",
      unknownPart?.hint ?? 'Set { count: 3, per: "1d" }, for example.',
    ],
    onRefusal: [
      options.onRefusal === undefined ||
        (typeof options.onRefusal === "function" && maxRefusals !== undefined),
      "must be a function, and needs maxRefusals",
      'Set maxRefusals, for example to { count: 3, per: "1d" }.',
    ],
    fields: [
      !fields.includes("webhook_url"),
      "must not contain webhook_url",
      "Remove it: the service would call any URL that a user chooses. Set webhook_url in addFields.",
    ],
    sizes: [
      sizes.length > 0 && sizes.every((size) => /^[124]K$/.test(size)),
      "must contain one or more of 1K, 2K and 4K",
      'Set a list such as ["1K", "2K"].',
    ],
    maxBody: [
      maxBody > 0,
      "must be a number of bytes above 0",
      `Omit the option for ${defaultMaxBody} bytes.`,
    ],
    sync: undefined,
    origins: [
      invalidOrigin === undefined,
      `must contain only origins, but contains ${JSON.stringify(invalidOrigin)}`,
      'Set each origin without a path, such as "https://shop.example".',
    ],
    allow: [
      unknownKind === undefined,
      `has no operation ${unknownKind?.name}`,
      unknownKind?.hint ?? "",
    ],
    addFields: undefined,
    resolveGarments: undefined,
    exposeCredits: undefined,
    onError: undefined,
    fetch: undefined,
    transport: undefined,
    agent: undefined,
    clock: undefined,
    allowInsecure: undefined,
    allowLiveKey: undefined,
  });
  // A function of the shop has no store.
  const { store } = Object(options.limit) as { readonly store?: QuotaStore };
  const defaults = { maxBody, onError, origins, sizes, fields, allow, sync: sync ?? true };
  return {
    ...options,
    ...defaults,
    basePath: basePath.replace(/\/$/, ""),
    tryon: new TryOn({
      apiKey,
      baseUrl,
      fetch,
      transport,
      agent,
      clock,
      allowInsecure,
      allowLiveKey,
    }),
    refusals:
      maxRefusals && createRefusalLimit(maxRefusals, onRefusal, store, clock ?? defaultClock()),
    signer: new Signer(() => secret ?? (fixedKey ?? environment("TRYON_API_KEY") ?? "").trim()),
  };
}

const maxPer = 30 * 86_400_000;

function isMaxRefusals(given: MaxRefusals | undefined): boolean {
  if (given === undefined) return true;
  const { count, per }: Partial<MaxRefusals> = Object(given);
  const duration = readDuration(per ?? "");
  return isCount(count) && duration >= 60_000 && duration <= maxPer;
}

function warnOfRefusal({ user, count, retryAfter }: ProxyRefusal): void {
  const effect = retryAfter === undefined ? "" : " The proxy stops the submissions of this user.";
  // oxlint-disable-next-line no-console
  console.warn(
    `@tryon/client/proxy: the service refused the content of a try-on of the user ${JSON.stringify(user)}, ${count} by now.${effect} Repeated refusals can suspend the API key.`,
  );
}

export function isCount(count: unknown): boolean {
  return Number.isSafeInteger(count) && Number(count) >= 1;
}

/** Condition of an option, with what completes "OPTION …" and the hint of its error. */
type OptionCheck = readonly [isValid: boolean, problem: string, hint: string];

export function checkOptions<Options extends object>(
  owner: string,
  options: Options,
  checks: { readonly [Name in keyof Required<Options>]: OptionCheck | undefined },
): void {
  const unknown = unknownOption(owner, options, checks);
  if (unknown) throw new InputError(...unknown);
  for (const [name, check] of Object.entries<OptionCheck | undefined>(checks)) {
    if (check?.[0] === false) throw new InputError(name, check[1], { hint: check[2] });
  }
}
