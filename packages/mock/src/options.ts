import { namesFor, rejectUnknownNames } from "@tryon/command-line/known-names";

/** A point that the interface document leaves open, and the ways in which deployments settle it. */
export interface OptionRow {
  readonly id: string;
  /** Effect of the option, in a sentence. */
  readonly summary: string;
  /** Every value, with the default first and the value of the profile `alternate` last. */
  readonly values: readonly [unknown, unknown, ...unknown[]];
  /** If true, requests to a deployment can show which value it has. */
  readonly observable: boolean;
}

const rows = {
  checkOrder: {
    summary: "Order of authentication and the check that the body is JSON.",
    values: ["auth-first", "body-first"],
  },
  malformedBody: { summary: "Status for a body that is not a JSON object.", values: [422, 400] },
  fieldStatus: {
    summary: "Status for a field of a wrong type or outside its bounds. 400 has a text as detail.",
    values: [422, 400],
  },
  metadataCount: {
    summary:
      "Parts of metadata entries that the limit of 256 characters counts: keys and the JSON text of values, keys and values that are strings, or keys alone.",
    values: ["json", "text", "keys"],
  },
  unknownCursor: {
    summary: "Response of the list to an unknown cursor: an error with this status, or no jobs.",
    values: [400, 422, "empty"],
  },
  limitBounds: {
    summary: "Response of the list to a limit out of bounds: an error, or the nearest page size.",
    values: ["refuse", "clamp"],
  },
  echoInput: {
    summary: "Length of the refused value in a validation error: 64 characters, or all of it.",
    values: ["cut", "full"],
  },
  oversize: {
    summary: "Status for a body over 64 MiB. 413 has an HTML body, as from a proxy.",
    values: [400, 413],
  },
  jsonTypes: {
    summary: 'Types of JSON values: lax takes "true" and 1 for a boolean and "7" for an integer.',
    values: ["strict", "lax"],
  },
  replayHeader: {
    summary: "If true, a replayed response has the header Idempotent-Replayed: true.",
    values: [true, false],
  },
  concurrentTwin: {
    summary:
      "Response to a repeated key while the first request still waits: its response, or 409.",
    values: ["join", 409],
  },
  idempotencyHours: {
    summary: "Number of hours that the service remembers an idempotency key.",
    values: [24, 0.5, 1],
    observable: false,
  },
  replayBody: {
    summary: "Job in a replayed response: as in the first response, or as it is now.",
    values: ["first", "current"],
  },
  refusedKey: {
    summary:
      "Idempotency key of a submission refused for its images or its credits: unused, or kept with the refusal.",
    values: ["free", "kept"],
  },
  stored500: {
    summary: "If true, a key replays a 500 that came after creation and before the model.",
    values: [false, true],
    observable: false,
  },
  refund: {
    summary: "Failed jobs whose credits are refunded.",
    values: ["none", "failed", "failed-except-content-blocked"],
  },
  dailySpendCap: {
    summary: "Maximum number of credits that a key can spend in one UTC day.",
    values: ["off", 100_000],
    observable: false,
  },
  suspendAfterContentBlocked: {
    summary: "Number of consecutive content refusals that suspend a key.",
    values: ["off", 5],
    observable: false,
  },
  rateHeaders: {
    summary: "Responses that have X-RateLimit-*.",
    values: ["all", "429-only", "none"],
  },
  resetUnit: {
    summary: "Value of X-RateLimit-Reset: a time, or the seconds until it.",
    values: ["epoch", "delta"],
  },
  retryAfterFormat: {
    summary: "Value of Retry-After: a number of seconds, or an HTTP date.",
    values: ["seconds", "date"],
  },
  reportQueued: {
    summary: "If true, jobs over the concurrency limit have the status queued.",
    values: [false, true],
  },
  syncCut: {
    summary:
      "Seconds after which a proxy ends a synchronous request with 504 and HTML. The job goes on.",
    values: ["off", 30],
  },
  maxLimit: { summary: "Maximum page size of the list.", values: [100, 50] },
  filterName: {
    summary: "Query names of the status filter of the list.",
    values: ["both", "status_filter", "status"],
  },
  readLag: {
    summary: "Milliseconds for which reads miss a new job, as on replicas.",
    values: [0, 800],
  },
  sparseSubmit: {
    summary:
      "If true, submission responses omit metadata, seed, test_mode and null fields, and cost_credits and credits_remaining unless the job succeeded.",
    values: [false, true],
  },
  inventSeed: {
    summary: "If true, the service chooses a seed for a job without one.",
    values: [false, true],
  },
  timeFormat: {
    summary: "Format of times: with Z, with +00:00, or without a zone.",
    values: ["Z", "offset", "naive"],
  },
  expiredStatus: {
    summary: "Status of a result URL that has expired or has a wrong signature.",
    values: [403, 400],
  },
  resultsOrigin: {
    summary: "Origin of result URLs: that of the service, or another one.",
    values: ["same", "other"],
  },
  slashRedirect: {
    summary: "If true, a trailing slash, or http to a host other than loopback, gets a 307.",
    values: [false, true],
  },
  webhookBody: {
    summary: "Body of the attempts of a delivery: the same bytes, or a freshly signed result_url.",
    values: ["same", "resigned"],
  },
  purchaseRepeat: {
    summary:
      "Response to a second purchase with the same key and token: the first response, or 409.",
    values: ["replay", 409],
  },
  foreignJob: { summary: "Status of a poll for a job of another key.", values: [404, 403] },
  unknownPack: { summary: "Status of a purchase with an unknown pack.", values: [400, 422] },
  testKeyCredits: {
    summary: "Value of credits_added when a test key buys a pack.",
    values: ["pack", 0],
  },
  repeatCredits: {
    summary: "Value of credits_added in the response to a repeated purchase.",
    values: ["pack", 0],
  },
  discoveryKey: {
    summary: "If true, the discovery document, the docs and the OpenAPI document need a key.",
    values: [false, true],
  },
  wrongContentType: {
    summary: "Status of a POST whose content type is not JSON.",
    values: [422, 415],
  },
  garmentDataUris: {
    summary: "If true, items of garment_images_b64 can have a data: prefix.",
    values: [false, true],
  },
  rateWindow: {
    summary: "Window of the rate limit: a minute of the clock, or the last 60 s.",
    values: ["fixed", "sliding"],
  },
  errorCodes: {
    summary: "Value of error_code after a failure: generation_failed, or the cause of the failure.",
    values: ["generation_failed", "cause"],
  },
  totalCalls: {
    summary: "Requests in total_calls: those within the rate limit, or only those with a 2xx.",
    values: ["admitted", "accepted"],
  },
} as const satisfies Record<string, Omit<OptionRow, "id" | "observable"> & { observable?: false }>;

type Rows = typeof rows;
// The object has exactly the properties of its type.
const optionIds = Object.keys(rows) as readonly OptionId[];

/**
 * The id of an option.
 *
 * @useDeclaredType
 */
export type OptionId = keyof Rows;

/**
 * One value for every option.
 *
 * @interface
 */
export type Options = { readonly [Id in OptionId]: Rows[Id]["values"][number] };

/** Every option of the reference server. A deployment has one value of each row, and the client works with each of them. */
export const optionTable = optionIds.map((id) => ({
  id,
  observable: true,
  ...rows[id],
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

/** @throws TypeError for an unknown option, RangeError for an unknown value. Both list the valid ones. */
export function resolveOptions(
  profile: ProfileName | Profile = "default",
  chosen: Partial<Options> = {},
): Options {
  return { ...valuesOf(profile), ...checked(chosen) };
}

function valuesOf(profile: ProfileName | Profile): Options {
  if (typeof profile === "object") return { ...profileOptions("default"), ...observed(profile) };
  if (profileNames.includes(profile)) return profileOptions(profile);
  throw new RangeError(
    `Unknown profile ${JSON.stringify(profile)}; the profiles are ${profileNames.join(" and ")}.`,
  );
}

function observed(profile: Profile): Partial<Options> {
  const { options, unknown = [] } = profile;
  if (options === null || typeof options !== "object" || Array.isArray(options)) {
    throw new TypeError(
      "A profile has its values in options; tryon-contract --profile writes one.",
    );
  }
  rejectUnknownNames(profile, ["options", "unknown"], "Unknown field", "a profile has");
  for (const id of unknown) rowOf(id);
  return checked(options);
}

/** Checks the defined values against their rows. */
function checked(chosen: Readonly<Record<string, unknown>>): Partial<Options> {
  const given = Object.entries(chosen).filter(([, value]) => value !== undefined);
  for (const [id, value] of Object.entries(chosen)) {
    const row = rowOf(id);
    if (value !== undefined && !row.values.includes(value)) {
      const allowed = row.values.map((candidate) => JSON.stringify(candidate)).join(", ");
      throw new RangeError(
        `Option ${id} has to be one of ${allowed}; got ${JSON.stringify(value)}.`,
      );
    }
  }
  // The loop has just found each name and value in the table.
  return Object.fromEntries(given) as Partial<Options>;
}

/** @throws TypeError with a list of all options. */
function rowOf(id: string): OptionRow {
  const row = optionTable.find((candidate) => candidate.id === id);
  if (row !== undefined) return row;
  throw new TypeError(
    `Unknown option ${JSON.stringify(id)}; the options are ${namesFor(id, optionIds)}`,
  );
}
