import { namesFor, rejectUnknownNames } from "@tryon/command-line/known-names";

import { optionRows, type Options } from "./generated/options.ts";

export type { Options };

type OptionValue = string | number | boolean;

/** A point that the interface document leaves open, and the ways in which deployments settle it. */
export interface OptionRow {
  /** Name of the option, a key of {@link Options}. */
  readonly id: OptionId;
  /** Effect of the option, in a sentence. */
  readonly summary: string;
  /** Every value, with the default first and the value of the profile `alternate` last. */
  readonly values: readonly [OptionValue, OptionValue, ...OptionValue[]];
  /** If true, requests to a deployment can show which value it has. */
  readonly observable: boolean;
}

/**
 * The id of an option.
 *
 * @useDeclaredType
 */
export type OptionId = keyof Options;

/** Every option of the reference server. A deployment has one value of each row, and the client works with each of them. */
export const optionTable: readonly OptionRow[] = optionRows;

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
  return Object.fromEntries(
    optionTable.map((row) => [row.id, pick(row)]),
  ) as Partial<Options> as Options;
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
    if (value !== undefined && !row.values.some((one) => one === value)) {
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
    `Unknown option ${JSON.stringify(id)}; the options are ${namesFor(
      id,
      optionTable.map((one) => one.id),
    )}`,
  );
}
