/**
 * Headers of a delivery: a `Headers`, the `headers` of a Node request, a record with names in any
 * case, or pairs of name and value.
 */
export type WebhookHeaders =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | Iterable<readonly [string, string]>;

export type HeaderPairs = ReadonlyArray<readonly [name: string, value: unknown]>;

/**
 * Reads the headers of a delivery, or of the request in its `body`, whose names match the pattern.
 * Unreadable headers have no values. The headers are read once, because an iterator can be read
 * only once.
 */
export function headerPairs(
  delivery: { readonly headers?: unknown; readonly body: unknown },
  pattern: RegExp,
): HeaderPairs {
  // Stryker disable next-line ArrayDeclaration: a string as a pair has a name of one letter, which no caller requests.
  const pairs: Array<HeaderPairs[number]> = [];
  try {
    // Throws if the headers are not an object or an entry is not a pair.
    const headers = (delivery.headers ??
      (delivery.body as { headers?: unknown }).headers) as object;
    const entries = Symbol.iterator in headers ? (headers as HeaderPairs) : Object.entries(headers);
    for (const [name, values] of entries) {
      if (!pattern.test(name)) continue;
      for (const value of Array.isArray(values) ? values : [values]) {
        if (value !== undefined && value !== null) pairs.push([name.toLowerCase(), value]);
      }
    }
  } catch {
    pairs.length = 0;
  }
  return pairs;
}

export function valuesOf(pairs: HeaderPairs, name: string): readonly unknown[] {
  return pairs.filter(([key]) => key === name).map(([, value]) => value);
}
