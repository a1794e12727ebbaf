import { parseArgs, type ParseArgsConfig } from "node:util";

import { milliseconds } from "../system/duration.ts";
import { nearest } from "./nearest.ts";

/** The command line or a file that it names cannot be understood; the message is one sentence for whoever typed it. */
export class UsageError extends Error {}

type Flags = NonNullable<ParseArgsConfig["options"]>;

/**
 * Takes a command line apart into flags and words.
 *
 * @throws UsageError naming the flag that is not known, and the one that was most likely meant.
 */
export function readFlags<Table extends Flags>(argv: readonly string[], table: Table) {
  try {
    return parseArgs({ args: [...argv], allowPositionals: true, options: table });
  } catch (error) {
    throw new UsageError(sentenceOf(error, Object.keys(table)));
  }
}

function sentenceOf(error: unknown, known: readonly string[]): string {
  const message = error instanceof Error ? error.message : String(error);
  const unknown = /^Unknown option '-{1,2}([^'\s]+)/.exec(message)?.[1];
  if (unknown === undefined) {
    return `${message.split(/\. |\n/)[0] ?? ""}. See tryon-mock help.`;
  }
  const meant = nearest(unknown, known);
  const dashes = unknown.length === 1 ? "-" : "--";
  const advice = meant === undefined ? "See tryon-mock help." : `Did you mean --${meant}?`;
  return `There is no option ${dashes}${unknown}. ${advice}`;
}

export function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new UsageError(`--port has to be a number from 0 to 65535; got "${text}".`);
}

/** A length of time; a bare number is taken as milliseconds. */
export function readDuration(flag: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const duration = /^\d+$/.test(text) ? `${text}ms` : text;
  try {
    milliseconds(duration);
  } catch {
    throw new UsageError(
      `${flag} has to be a number of milliseconds or a time such as 500ms, 1.5s, 2m; got "${text}".`,
    );
  }
  return duration;
}

/** A text that says something: a flag with nothing behind it is a variable that a shell found empty. */
export function readText(flag: string, text: string | undefined): string | undefined {
  if (text === undefined || text.trim() !== "") return text;
  throw new UsageError(`${flag} is empty; give it a value or leave it out.`);
}

export function oneOf<Word extends string>(
  flag: string,
  text: string | undefined,
  words: readonly Word[],
  otherwise?: string,
): Word | undefined {
  const word = words.find((candidate) => candidate === text);
  if (text === undefined || word !== undefined) return word;
  const allowed = [words.join(", "), ...(otherwise === undefined ? [] : [otherwise])].join(", ");
  throw new UsageError(`${flag} has to be one of ${allowed}; got "${text}".`);
}
