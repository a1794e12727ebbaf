import { parseArgs } from "node:util";

import { Redactor } from "../wire/redactor.ts";
import { nearest } from "./nearest.ts";

/** The command line cannot be understood; the message is one sentence for whoever typed it. */
export class UsageError extends Error {
  override readonly name = "UsageError";

  constructor(message: string, options?: ErrorOptions) {
    // A key can stand where another value belongs.
    super(new Redactor().redact(message), options);
  }
}

const flagTable = {
  "base-url": { type: "string" },
  "api-key": { type: "string" },
  "live-key": { type: "string" },
  "test-key": { type: "string" },
  "other-key": { type: "string" },
  "disabled-key": { type: "string" },
  "flagged-key": { type: "string" },
  level: { type: "string" },
  "max-credits": { type: "string" },
  "allow-live": { type: "boolean" },
  only: { type: "string", multiple: true },
  "webhook-url": { type: "string" },
  "webhook-port": { type: "string" },
  "webhook-secret": { type: "string" },
  "real-time": { type: "boolean" },
  report: { type: "string", multiple: true },
  output: { type: "string" },
  profile: { type: "string" },
  quiet: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

export type Flag = keyof typeof flagTable;

/** Every flag, for the test that help names each. */
export const flagNames = Object.keys(flagTable);

/** @throws UsageError naming the flag that is not known, and the one that was most likely meant. */
export function readFlags(argv: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: flagTable,
      allowPositionals: true,
    });
    const [word] = positionals;
    if (word !== undefined) {
      throw new UsageError(`"${word}" belongs to no option; see tryon-contract --help.`);
    }
    return values;
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(sentenceOf(error));
  }
}

function sentenceOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, dashes, word] = /^Unknown option '(-{1,2})([^'\s=]+)/.exec(message) ?? [];
  if (word === undefined) {
    const [sentence = ""] = message.split(/\. |\n/);
    return `${sentence.replace(/\.$/, "")}; see tryon-contract --help.`;
  }
  const meant = nearest(word, flagNames);
  const advice = meant === undefined ? "see tryon-contract --help." : `did you mean --${meant}?`;
  return `There is no option ${dashes}${word}; ${advice}`;
}

/** A text that says something: a flag with nothing behind it is a variable that a shell found empty. */
export function textOf(flag: Flag, text: string | undefined): string | undefined {
  if (text === undefined || text.trim() !== "") return text;
  throw new UsageError(`--${flag} is empty; give it a value or leave it out.`);
}

export function wholeNumber(
  flag: Flag,
  text: string | undefined,
  most: number,
): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number <= most) return number;
  throw new UsageError(`--${flag} has to be a whole number from 0 to ${most}; got "${text}".`);
}

export function oneOf<Word extends string>(
  flag: Flag,
  text: string | undefined,
  words: readonly Word[],
): Word | undefined {
  const word = words.find((candidate) => candidate === text);
  if (text === undefined || word !== undefined) return word;
  const meant = nearest(text, words);
  const advice = meant === undefined ? "" : ` Did you mean ${meant}?`;
  throw new UsageError(`--${flag} has to be one of ${words.join(", ")}; got "${text}".${advice}`);
}
