import * as z from "zod";

/** What a check of ours found, carried through zod to the answer. */
export interface Finding {
  readonly type: string;
  readonly msg: string;
  readonly ctx: Readonly<Record<string, unknown>>;
}

/** Counts characters as code points, as the service does: an emoji is one. */
export function characters(value: string): number {
  let count = value.length;
  for (let index = 0; index < value.length; index += 1) {
    const code = value.charCodeAt(index);
    const next = value.charCodeAt(index + 1);
    // A pair of surrogates is one character.
    if (code >= 0xd800 && code < 0xdc00 && next >= 0xdc00 && next < 0xe000) count -= 1;
  }
  return count;
}

function longer(value: string, most: number): boolean {
  return value.length > most && characters(value) > most;
}

function shorter(value: string, least: number): boolean {
  return value.length < 2 * least && characters(value) < least;
}

export function tooLong(most: number): Finding {
  const plural = most === 1 ? "" : "s";
  return {
    type: "string_too_long",
    msg: `String should have at most ${most} character${plural}`,
    ctx: { max_length: most },
  };
}

function tooShort(least: number): Finding {
  return {
    type: "string_too_short",
    msg: `String should have at least ${least} characters`,
    ctx: { min_length: least },
  };
}

function tooMany(kind: "List" | "Dictionary", most: number, count: number): Finding {
  return {
    type: "too_long",
    msg: `${kind} should have at most ${most} items after validation, not ${count}`,
    ctx: { field_type: kind, max_length: most, actual_length: count },
  };
}

function literal(values: readonly string[]): Finding {
  const quoted = values.map((value) => `'${value}'`);
  const expected = [quoted.slice(0, -1).join(", "), quoted.at(-1)].join(" or ");
  return { type: "literal_error", msg: `Input should be ${expected}`, ctx: { expected } };
}

/** A text of at most `most` characters. */
export function text(bounds: { least?: number; most?: number } = {}): z.ZodString {
  const { least = 0, most = Number.POSITIVE_INFINITY } = bounds;
  return z.string().check((found) => {
    if (longer(found.value, most)) found.issues.push(issue(found.value, tooLong(most)));
    else if (shorter(found.value, least)) found.issues.push(issue(found.value, tooShort(least)));
  });
}

/** One of some words; with `anyCase`, upper and lower case are the same. */
export function word(values: readonly string[], anyCase = false): z.ZodString {
  return z.string().check((found) => {
    const value = anyCase ? found.value.toUpperCase() : found.value;
    if (!values.includes(value)) found.issues.push(issue(found.value, literal(values)));
  });
}

/** A list of at most `most` texts. */
export function texts(most: number): z.ZodArray<z.ZodString> {
  return z.array(z.string()).check((found) => {
    const count = found.value.length;
    if (count > most) found.issues.push(issue(found.value, tooMany("List", most, count)));
  });
}

type Dictionary = Readonly<Record<string, unknown>>;

const noDictionary: Finding = {
  type: "dict_type",
  msg: "Input should be a valid dictionary",
  ctx: {},
};

function isDictionary(value: unknown): boolean {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** An object of at most `mostKeys` keys, of which each, and each value's text, has at most `most` characters. */
export function dictionary(mostKeys: number, most: number): z.ZodType<Dictionary> {
  // Unlike z.record, this hands on the very object: every key of it is returned, "__proto__" too.
  return z.custom<Dictionary>().check((found) => {
    if (!isDictionary(found.value)) {
      found.issues.push(issue(found.value, noDictionary));
      return;
    }
    const entries = Object.entries(found.value);
    if (entries.length > mostKeys) {
      found.issues.push(issue(found.value, tooMany("Dictionary", mostKeys, entries.length)));
    }
    for (const [key, value] of entries) {
      const written = typeof value === "string" ? value : JSON.stringify(value);
      if (longer(key, most)) found.issues.push(issue(key, tooLong(most), [key, "[key]"]));
      if (longer(written, most)) found.issues.push(issue(value, tooLong(most), [key]));
    }
  });
}

/** A whole number from 0 up to `most`. */
export function wholeNumber(most: number): z.ZodNumber {
  return z.number().check((found) => {
    const { value } = found;
    const problem = wholeNumberProblem(value, 0, most);
    if (problem !== undefined) found.issues.push(issue(value, problem));
  });
}

export function wholeNumberProblem(
  value: number,
  least: number,
  most: number,
): Finding | undefined {
  if (!Number.isInteger(value)) {
    return {
      type: "int_from_float",
      msg: "Input should be a valid integer, got a number with a fractional part",
      ctx: {},
    };
  }
  if (value < least) {
    return {
      type: "greater_than_equal",
      msg: `Input should be greater than or equal to ${least}`,
      ctx: { ge: least },
    };
  }
  if (value > most) {
    return {
      type: "less_than_equal",
      msg: `Input should be less than or equal to ${most}`,
      ctx: { le: most },
    };
  }
  return undefined;
}

function issue(
  input: unknown,
  params: Finding,
  path: PropertyKey[] = [],
): z.core.$ZodRawIssue<z.core.$ZodIssueCustom> {
  return { code: "custom", input, path, message: params.msg, params: { ...params } };
}
