/**
 * Headers of a delivery: a `Headers`, the `headers` of a Node request, a record with names in any
 * case, or pairs of name and value.
 */
export type WebhookHeaders =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | Iterable<readonly [string, string]>;

/** Headers of a delivery, or a request that has them. */
export interface HeaderSource {
  readonly headers?: unknown;
  readonly body: unknown;
}

/**
 * Reads the headers whose names match the pattern. Returns a function that returns the values of a
 * name in lower case. Names are case-insensitive (RFC 9110, section 5.1). Unreadable headers have
 * no values. The headers are read once, because an iterator can be read only once.
 */
export function headerValues(
  source: HeaderSource,
  pattern: RegExp,
): (name: string) => readonly unknown[] {
  // Stryker disable next-line ArrayDeclaration: a string as a pair has a name of one letter, which no caller requests.
  const pairs: Array<readonly [string, unknown]> = [];
  const add = (name: string, value: unknown): void => {
    if (!pattern.test(name)) return;
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null) pairs.push([name.toLowerCase(), item]);
    }
  };
  try {
    // Throws if the headers are not an object or an entry is not a pair.
    const headers = (source.headers ?? (source.body as { headers?: unknown }).headers) as object;
    if (Symbol.iterator in headers) {
      for (const [name, value] of headers as typeof pairs) add(name, value);
    } else {
      // Object.entries takes half as long again.
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
