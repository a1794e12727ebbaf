import { parseArgs, type ParseArgsConfig } from "node:util";

import { nearest } from "./nearest.ts";

/** The command line, or what it names, cannot be understood; the message is for whoever typed it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

type Table = NonNullable<ParseArgsConfig["options"]>;

/**
 * Takes a command line apart into flags; words that belong to none are refused.
 *
 * @throws UsageError naming the flag that is not known, and the one that was most likely meant.
 */
export function readFlags<Flags extends Table>(argv: readonly string[], table: Flags) {
  const { values, positionals } = parse(argv, table);
  const [word] = positionals;
  // The word is not told: it may be a secret that lost its flag.
  if (word !== undefined) {
    throw new UsageError("There is a word that belongs to no option; see tryon-webhooks help.");
  }
  return values;
}

function parse<Flags extends Table>(argv: readonly string[], table: Flags) {
  try {
    return parseArgs({ args: [...argv], allowPositionals: true, options: table });
  } catch (error) {
    throw new UsageError(sentenceOf(error, Object.keys(table)));
  }
}

/** Names known options only: what was typed may contain a secret, as in `--secretwhsec_…`. */
function sentenceOf(error: unknown, known: readonly string[]): string {
  const message = error instanceof Error ? error.message : "";
  if (error instanceof Error && "code" in error && error.code === invalidValue) {
    return `${message.split(/\. |\n/)[0]?.replace(/\.$/, "") ?? ""}; see tryon-webhooks help.`;
  }
  const [, word] = /^Unknown option '-{1,2}([^'\s=]+)/.exec(message) ?? [];
  const meant = word === undefined ? undefined : nearest(word, known);
  const advice = meant === undefined ? "see tryon-webhooks help." : `did you mean --${meant}?`;
  return `There is no such option; ${advice}`;
}

/** Code of errors about the value of a known option. They name the option, and not the value. */
const invalidValue = "ERR_PARSE_ARGS_INVALID_OPTION_VALUE";

/** A text that says something: a flag with nothing behind it is a variable that a shell found empty. */
export function textOf(flag: string, text: string | undefined): string | undefined {
  if (text === undefined || text.trim() !== "") return text;
  throw new UsageError(`--${flag} is empty; give it a value or leave it out.`);
}

/** A whole number within bounds. */
export function numberOf(
  flag: string,
  text: string | undefined,
  [least, most]: readonly [number, number],
): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`--${flag} has to be a whole number from ${least} to ${most}.`);
}

export function oneOf<Word extends string>(
  flag: string,
  text: string | undefined,
  words: readonly Word[],
): Word | undefined {
  const word = words.find((candidate) => candidate === text);
  if (text === undefined || word !== undefined) return word;
  const meant = nearest(text, words);
  const advice = meant === undefined ? "" : ` Did you mean ${meant}?`;
  throw new UsageError(`--${flag} has to be one of ${words.join(", ")}.${advice}`);
}
