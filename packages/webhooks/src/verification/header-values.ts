/**
 * The headers of a delivery: a `Headers`, the `headers` of a Node request, a record whose names
 * are in any case, or pairs of name and value.
 */
export type WebhookHeaders =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | Iterable<readonly [string, string]>;

/** The headers of a delivery, or the request that brings them along. */
export interface HeaderSource {
  readonly headers?: unknown;
  readonly body: unknown;
}

/**
 * Reads the headers whose names fit the pattern, and gives every value under one name in lower case;
 * names are compared without regard to case (RFC 9110, section 5.1). What cannot be read as headers
 * has no values, rather than an error. They are read once, since some iterables can be gone through
 * only once.
 */
export function headerValues(
  source: HeaderSource,
  pattern: RegExp,
): (name: string) => readonly unknown[] {
  // Stryker disable next-line ArrayDeclaration: a text as pair has a name of one letter, which no caller asks for.
  const pairs: Array<readonly [string, unknown]> = [];
  const add = (name: string, value: unknown): void => {
    if (!pattern.test(name)) return;
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) pairs.push([name.toLowerCase(), one]);
    }
  };
  try {
    // Whatever is no object throws here, and an entry that is no pair where it is taken apart.
    const headers = (source.headers ?? (source.body as { headers?: unknown }).headers) as object;
    if (Symbol.iterator in headers) {
      for (const [name, value] of headers as typeof pairs) add(name, value);
    } else {
      // Without pairs, which cost half as much again.
      for (const name of Object.keys(headers))
        add(name, (headers as Record<string, unknown>)[name]);
    }
  } catch {
    pairs.length = 0;
  }
  return (name) => {
    const values: unknown[] = [];
    for (const [key, value] of pairs) if (key === name) values.push(value);
    return values;
  };
}
