import { unknownName } from "@tryon/command-line/known-names";

/** Names of the options of a function. Each has a value, so that the compiler finds a missing one. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/** @throws `TypeError` that names the first unknown option, and the likely one. */
export function checkOptionNames(options: object, names: Readonly<Record<string, true>>): void {
  const unknown = unknownName(options, names);
  if (unknown) throw new TypeError(`${unknown.name}: is not an option. ${unknown.hint}`);
}
