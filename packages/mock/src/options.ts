import { oneOf, OptionsError, readValue, rejectUnknown } from "@tryon/shared/options";

import { optionRows, type Options } from "./generated/options.ts";

export type { Options };

/** A point that the interface document leaves open, and the ways in which deployments settle it. */
export interface OptionRow {
  /** Name of the option, a key of {@link Options}. */
  readonly id: OptionId;
  /** Effect of the option, in a sentence. */
  readonly summary: string;
  /** Every value, with the default first and the value of the profile `alternate` last. */
  readonly values: readonly (string | number | boolean)[];
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
const optionIds = optionTable.map(({ id }) => id);

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

export function resolveOptions(
  profile: ProfileName | Profile = "default",
  chosen: Partial<Options> = {},
): Options {
  if (typeof profile === "object") {
    return { ...profileOptions("default"), ...observed(profile), ...checked(chosen) };
  }
  readValue("profile", profile, oneOf(...profileNames));
  return { ...profileOptions(profile), ...checked(chosen) };
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

function checked(chosen: Readonly<Record<string, unknown>>): Partial<Options> {
  rejectUnknown(kind, chosen, optionIds);
  const given = Object.entries(chosen).filter(([, value]) => value !== undefined);
  for (const [id, value] of given) {
    // It was found in the table.
    const { values = [] } = optionTable.find((row) => row.id === id) ?? {};
    readValue(id, value, oneOf<unknown>(...values));
  }
  return Object.fromEntries(given) as Partial<Options>;
}
