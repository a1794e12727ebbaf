/** One point that the interface document leaves open, and the ways in which deployments settle it. */
export interface OptionRow {
  readonly id: string;
  /** What the option decides, in a sentence. */
  readonly summary: string;
  /** Every value, the default first and the value of the profile `alternate` last. */
  readonly values: readonly [unknown, unknown, ...unknown[]];
  /** The subject under which the rule stands. */
  readonly section: string;
  /** Whether somebody outside can tell which value a deployment has. */
  readonly observable: boolean;
  /** The deviations from the contract that the values other than the default cause. */
  readonly deviations: readonly string[];
}

/**
 * Every option of the reference server. The client has to be right under each value of each row; a deployment is
 * described by one value for each row.
 */
export const optionTable = [
  {
    id: "checkOrder",
    summary: "Whether a body that is not JSON is refused before the key is looked at.",
    values: ["auth-first", "body-first"],
    section: "order of checks",
    observable: true,
    deviations: [],
  },
  {
    id: "malformedBody",
    summary: "The status for a body that is not a JSON object.",
    values: [422, 400],
    section: "order of checks",
    observable: true,
    deviations: [],
  },
  {
    id: "echoInput",
    summary:
      "How much of the refused value a validation error repeats: 64 characters, or all of it.",
    values: ["cut", "full"],
    section: "400 or 422",
    observable: true,
    deviations: [],
  },
  {
    id: "oversize",
    summary: "The status for a body over 64 MiB; 413 comes with an HTML body, as from a proxy.",
    values: [400, 413],
    section: "400 or 422",
    observable: true,
    deviations: ["413 with text/html on POST"],
  },
  {
    id: "jsonTypes",
    summary: 'Whether "true" and 1 pass for a boolean and "7" for an integer.',
    values: ["strict", "lax"],
    section: "400 or 422",
    observable: true,
    deviations: [],
  },
  {
    id: "replayHeader",
    summary: "Whether a replayed answer carries Idempotent-Replayed: true.",
    values: [true, false],
    section: "idempotency",
    observable: true,
    deviations: [],
  },
  {
    id: "concurrentTwin",
    summary: "What the same key and body get while the first call still waits: its answer, or 409.",
    values: ["join", 409],
    section: "idempotency",
    observable: true,
    deviations: [],
  },
  {
    id: "idempotencyHours",
    summary: "How many hours an idempotency key is remembered.",
    values: [24, 1],
    section: "idempotency",
    observable: false,
    deviations: [],
  },
  {
    id: "stored500",
    summary: "Whether a 500 after creation and before the model is what the key replays.",
    values: [false, true],
    section: "idempotency",
    observable: false,
    deviations: [],
  },
  {
    id: "refund",
    summary: "Which failed jobs give their credits back.",
    values: ["none", "failed", "failed-except-content-blocked"],
    section: "credits",
    observable: true,
    deviations: [],
  },
  {
    id: "dailySpendCap",
    summary: "How many credits a key may spend in one UTC day.",
    values: ["off", 100_000],
    section: "credits",
    observable: false,
    deviations: [],
  },
  {
    id: "suspendAfterContentBlocked",
    summary: "After how many refusals of content in a row a key is suspended.",
    values: ["off", 5],
    section: "credits",
    observable: false,
    deviations: [],
  },
  {
    id: "rateHeaders",
    summary: "Which answers carry X-RateLimit-*.",
    values: ["all", "429-only", "none"],
    section: "rate limit",
    observable: true,
    deviations: ["429 without X-RateLimit-*"],
  },
  {
    id: "resetUnit",
    summary: "Whether X-RateLimit-Reset is a point in time or the seconds until it.",
    values: ["epoch", "delta"],
    section: "rate limit",
    observable: true,
    deviations: [],
  },
  {
    id: "retryAfterFormat",
    summary: "Whether Retry-After is a number of seconds or an HTTP date.",
    values: ["seconds", "date"],
    section: "rate limit",
    observable: true,
    deviations: [],
  },
  {
    id: "reportQueued",
    summary: "Whether jobs over the concurrency limit are shown as queued.",
    values: [false, true],
    section: "jobs",
    observable: true,
    deviations: [],
  },
  {
    id: "syncCut",
    summary:
      "After how many seconds a proxy ends a held call with 504 and HTML while the work goes on.",
    values: ["off", 30],
    section: "jobs",
    observable: true,
    deviations: ["504 with text/html on POST /api/v1/tryon"],
  },
  {
    id: "maxLimit",
    summary: "The largest page of the list.",
    values: [100, 50],
    section: "jobs",
    observable: true,
    deviations: [],
  },
  {
    id: "filterName",
    summary: "Under which query names the status filter of the list is honoured.",
    values: ["both", "status_filter", "status"],
    section: "jobs",
    observable: true,
    deviations: [],
  },
  {
    id: "readLag",
    summary: "For how many milliseconds a fresh job is missing from reads, as on replicas.",
    values: [0, 800],
    section: "jobs",
    observable: true,
    deviations: [],
  },
  {
    id: "sparseSubmit",
    summary: "Whether the answer to a submission carries only the fields of its documented shape.",
    values: [false, true],
    section: "jobs",
    observable: true,
    deviations: ["TryOnSubmitResponse without cost_credits"],
  },
  {
    id: "inventSeed",
    summary: "Whether a job without a seed is given one.",
    values: [false, true],
    section: "jobs",
    observable: true,
    deviations: [],
  },
  {
    id: "timeFormat",
    summary: "How times are written: with Z, with +00:00, or without a zone.",
    values: ["Z", "offset", "naive"],
    section: "jobs",
    observable: true,
    deviations: ["times that do not end in Z"],
  },
  {
    id: "expiredStatus",
    summary: "The status of a result address that has expired or whose signature is wrong.",
    values: [403, 400],
    section: "jobs",
    observable: true,
    deviations: [],
  },
  {
    id: "resultsOrigin",
    summary: "Whether results are served from the address of the service or from another one.",
    values: ["same", "other"],
    section: "jobs",
    observable: true,
    deviations: [],
  },
  {
    id: "slashRedirect",
    summary: "Whether a trailing slash, or http off loopback, is answered with 307.",
    values: [false, true],
    section: "jobs",
    observable: true,
    deviations: ["307 on an address with a trailing slash"],
  },
  {
    id: "webhookBody",
    summary:
      "Whether each attempt of a delivery has the same bytes or a freshly signed result_url.",
    values: ["same", "resigned"],
    section: "webhooks",
    observable: true,
    deviations: [],
  },
  {
    id: "purchaseRepeat",
    summary: "What the same pair of key and token gets the second time: the first answer, or 409.",
    values: ["replay", 409],
    section: "purchases",
    observable: true,
    deviations: [],
  },
] as const satisfies readonly OptionRow[];

type Row = (typeof optionTable)[number];

/**
 * The id of an option.
 *
 * @useDeclaredType
 */
export type OptionId = Row["id"];

/**
 * One value for every option.
 *
 * @interface
 */
export type Options = { readonly [Id in OptionId]: Extract<Row, { id: Id }>["values"][number] };

/** The named sets of values: `default` has the first value of every row, `alternate` the last. */
export const profileNames = ["default", "alternate"] as const;
/**
 * The name of a set of values.
 *
 * @useDeclaredType
 */
export type ProfileName = (typeof profileNames)[number];

/** The values of a named profile. */
export function profileOptions(profile: ProfileName): Options {
  const pick = (row: OptionRow): unknown =>
    profile === "default" ? row.values[0] : row.values[row.values.length - 1];
  // The table gives every id exactly one of its own values, which the compiler cannot see through fromEntries.
  return Object.fromEntries(optionTable.map((row) => [row.id, pick(row)])) as Options;
}

/** How a deployment settles the open points, as `tryon-contract --profile` writes it. */
export interface Profile {
  /** Values by the id of their option. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Options of which the value could not be seen; they have their default. */
  readonly unknown?: readonly string[];
}

/**
 * Lays chosen values over a profile.
 *
 * @throws TypeError for an unknown option and RangeError for a value that its row does not have; both name what exists.
 */
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
    `Unknown profile ${JSON.stringify(profile)}; there are ${profileNames.join(" and ")}.`,
  );
}

function observed({ options, unknown = [] }: Profile): Partial<Options> {
  if (options === null || typeof options !== "object" || Array.isArray(options)) {
    throw new TypeError("A profile has its values in options; tryon-contract --profile writes it.");
  }
  for (const id of unknown) rowOf(id);
  return checked(options);
}

/** The values that were given, each one that its row has. */
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
  // Each name and its value have just been found in the table.
  return Object.fromEntries(given) as Partial<Options>;
}

/** @throws TypeError naming the options that there are. */
function rowOf(id: string): OptionRow {
  const row = optionTable.find((candidate) => candidate.id === id);
  if (row !== undefined) return row;
  const known = optionTable.map((candidate) => candidate.id).join(", ");
  throw new TypeError(`Unknown option ${JSON.stringify(id)}; the options are ${known}.`);
}
