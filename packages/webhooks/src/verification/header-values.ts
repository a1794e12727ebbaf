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
 * Every value under one name, given in lower case; names are compared without regard to case (RFC
 * 9110, section 5.1). What cannot be read as headers has no values, rather than an error.
 */
export function headerValues(source: HeaderSource, name: string): readonly unknown[] {
  const values: unknown[] = [];
  const add = (key: string, value: unknown): void => {
    // Lengths first: that is quick, and nearly always enough.
    if (key.length !== name.length || key.toLowerCase() !== name) return;
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) values.push(one);
    }
  };
  try {
    // Whatever is no object throws here, and an entry that is no pair where it is taken apart.
    const headers = (source.headers ?? (source.body as { headers?: unknown }).headers) as object;
    if (Symbol.iterator in headers) {
      for (const [key, value] of headers as Iterable<readonly unknown[]>) add(String(key), value);
    } else {
      for (const key of Object.keys(headers)) add(key, (headers as Record<string, unknown>)[key]);
    }
    return values;
  } catch {
    return [];
  }
}
