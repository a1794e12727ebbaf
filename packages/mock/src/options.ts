import { oneOf, OptionsError, readValue, rejectUnknown } from "@tryon/command-line/options";

import { optionSummaries } from "./generated/option-summaries.ts";

/** A point that the interface document leaves open, and the ways in which deployments settle it. */
export interface OptionRow {
  /** Name of the option, a key of {@link Options}. */
  readonly id: string;
  /** Effect of the option, in a sentence. */
  readonly summary: string;
  /** Every value, with the default first and the value of the profile `alternate` last. */
  readonly values: readonly [unknown, unknown, ...unknown[]];
  /** If true, requests to a deployment can show which value it has. */
  readonly observable: boolean;
}

/** Values of every option, in the order of {@link OptionRow.values}. The comment of an option is its summary. */
const values = {
  /** Order of authentication and the check that the body is JSON. */
  checkOrder: ["auth-first", "body-first"],
  /** Status for a body that is not a JSON object. */
  malformedBody: [422, 400],
  /** Status for a field of a wrong type or outside its bounds. 400 has a text as detail. */
  fieldStatus: [422, 400],
  /**
   * Parts of metadata entries that the limit of 256 characters counts: keys and the JSON text of values, keys and
   * values that are strings, or keys alone.
   */
  metadataCount: ["json", "text", "keys"],
  /** Response of the list to an unknown cursor: an error with this status, or no jobs. */
  unknownCursor: [400, 422, "empty"],
  /** Response of the list to a limit out of bounds: an error, or the nearest page size. */
  limitBounds: ["refuse", "clamp"],
  /** Length of the refused value in a validation error: 64 characters, or all of it. */
  echoInput: ["cut", "full"],
  /** Status for a body over 64 MiB. 413 has an HTML body, as from a proxy. */
  oversize: [400, 413],
  /** Types of JSON values: lax takes "true" and 1 for a boolean and "7" for an integer. */
  jsonTypes: ["strict", "lax"],
  /** If true, a replayed response has the header Idempotent-Replayed: true. */
  replayHeader: [true, false],
  /** Response to a repeated key while the first request still waits: its response, or 409. */
  concurrentTwin: ["join", 409],
  /** Number of hours that the service remembers an idempotency key. */
  idempotencyHours: [24, 0.5, 1],
  /** Job in a replayed response: as in the first response, or as it is now. */
  replayBody: ["first", "current"],
  /** Idempotency key of a submission refused for its images or its credits: unused, or kept with the refusal. */
  refusedKey: ["free", "kept"],
  /** If true, a key replays a 500 that came after creation and before the model. */
  stored500: [false, true],
  /** Failed jobs whose credits are refunded. */
  refund: ["none", "failed", "failed-except-content-blocked"],
  /** Maximum number of credits that a key can spend in one UTC day. */
  dailySpendCap: ["off", 100_000],
  /** Number of consecutive content refusals that suspend a key. */
  suspendAfterContentBlocked: ["off", 5],
  /** Responses that have X-RateLimit-*. */
  rateHeaders: ["all", "429-only", "none"],
  /** Value of X-RateLimit-Reset: a time, or the seconds until it. */
  resetUnit: ["epoch", "delta"],
  /** Value of Retry-After: a number of seconds, or an HTTP date. */
  retryAfterFormat: ["seconds", "date"],
  /** If true, jobs over the concurrency limit have the status queued. */
  reportQueued: [false, true],
  /** Seconds after which a proxy ends a synchronous request with 504 and HTML. The job goes on. */
  syncCut: ["off", 30],
  /** Maximum page size of the list. */
  maxLimit: [100, 50],
  /** Query names of the status filter of the list. */
  filterName: ["both", "status_filter", "status"],
  /** Milliseconds for which reads miss a new job, as on replicas. */
  readLag: [0, 800],
  /**
   * If true, submission responses omit metadata, seed, test_mode and null fields, and cost_credits and
   * credits_remaining unless the job succeeded.
   */
  sparseSubmit: [false, true],
  /** If true, the service chooses a seed for a job without one. */
  inventSeed: [false, true],
  /** Format of times: with Z, with +00:00, or without a zone. */
  timeFormat: ["Z", "offset", "naive"],
  /** Status of a result URL that has expired or has a wrong signature. */
  expiredStatus: [403, 400],
  /** Origin of result URLs: that of the service, or another one. */
  resultsOrigin: ["same", "other"],
  /** If true, a trailing slash, or http to a host other than loopback, gets a 307. */
  slashRedirect: [false, true],
  /** Body of the attempts of a delivery: the same bytes, or a freshly signed result_url. */
  webhookBody: ["same", "resigned"],
  /** Response to a second purchase with the same key and token: the first response, or 409. */
  purchaseRepeat: ["replay", 409],
  /** Status of a poll for a job of another key. */
  foreignJob: [404, 403],
  /** Status of a purchase with an unknown pack. */
  unknownPack: [400, 422],
  /** Value of credits_added when a test key buys a pack. */
  testKeyCredits: ["pack", 0],
  /** Value of credits_added in the response to a repeated purchase. */
  repeatCredits: ["pack", 0],
  /** If true, the discovery document, the docs and the OpenAPI document need a key. */
  discoveryKey: [false, true],
  /** Status of a POST whose content type is not JSON. */
  wrongContentType: [422, 415],
  /** If true, items of garment_images_b64 can have a data: prefix. */
  garmentDataUris: [false, true],
  /** Window of the rate limit: a minute of the clock, or the last 60 s. */
  rateWindow: ["fixed", "sliding"],
  /** Value of error_code after a failure: generation_failed, or the cause of the failure. */
  errorCodes: ["generation_failed", "cause"],
  /** Requests in total_calls: those within the rate limit, or only those with a 2xx. */
  totalCalls: ["admitted", "accepted"],
} as const satisfies Record<string, OptionRow["values"]>;

type Values = typeof values;

/**
 * The id of an option.
 *
 * @useDeclaredType
 */
export type OptionId = keyof Values;

/**
 * One value for every option.
 *
 * @interface
 */
export type Options = { readonly [Id in keyof Values]: Values[Id][number] };

const unobservable: ReadonlySet<string> = new Set([
  "idempotencyHours",
  "stored500",
  "dailySpendCap",
  "suspendAfterContentBlocked",
] satisfies OptionId[]);

// The object has exactly the properties of its type.
const optionIds = Object.keys(values) as readonly OptionId[];

/** Every option of the reference server. A deployment has one value of each row, and the client works with each of them. */
export const optionTable = optionIds.map((id) => ({
  id,
  summary: optionSummaries[id],
  values: values[id],
  observable: !unobservable.has(id),
})) satisfies readonly OptionRow[];

/** Names of the built-in profiles: `default` has the first value of every row, `alternate` the last. */
export const profileNames = ["default", "alternate"] as const;
/**
 * The name of a built-in profile.
 *
 * @useDeclaredType
 */
export type ProfileName = (typeof profileNames)[number];

export function profileOptions(profile: ProfileName): Options {
  const pick = (row: OptionRow): unknown =>
    profile === "default" ? row.values[0] : row.values[row.values.length - 1];
  // Every id gets a value of the same row, which the types of fromEntries cannot express.
  return Object.fromEntries(optionTable.map((row) => [row.id, pick(row)])) as Options;
}

/** Option values of a deployment, as `tryon-contract --profile` writes them. */
export interface Profile {
  /** Values by the id of their option. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Options without an observed value; they have their default. */
  readonly unknown?: readonly string[];
}

/** @throws TypeError for an unknown option or an unknown value. It lists the valid ones. */
export function resolveOptions(
  profile: ProfileName | Profile = "default",
  chosen: Partial<Options> = {},
): Options {
  return { ...valuesOf(profile), ...checked(chosen) };
}

function valuesOf(profile: ProfileName | Profile): Options {
  if (typeof profile === "object") return { ...profileOptions("default"), ...observed(profile) };
  readValue("profile", profile, oneOf(...profileNames));
  return profileOptions(profile);
}

function observed(profile: Profile): Partial<Options> {
  const { options, unknown = [] } = profile;
  if (options === null || typeof options !== "object" || Array.isArray(options)) {
    const hint = "tryon-contract --profile writes one.";
    throw new OptionsError("profile", "must have its values in options", hint);
  }
  rejectUnknown("a field of a profile", profile, ["options", "unknown"]);
  rejectUnknown(kind, Object.fromEntries(unknown.map((id) => [id, true])), optionIds);
  return checked(options);
}

const kind = "an option of the service";

/** Checks the defined values against their rows. */
function checked(chosen: Readonly<Record<string, unknown>>): Partial<Options> {
  rejectUnknown(kind, chosen, optionIds);
  const given = Object.entries(chosen).filter(([, value]) => value !== undefined);
  for (const [id, value] of given) {
    // It was found in the table.
    readValue(id, value, oneOf<unknown>(...values[id as OptionId]));
  }
  return Object.fromEntries(given) as Partial<Options>;
}
