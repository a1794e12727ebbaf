/** A call as it was sent. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, when it was text. */
  readonly body: string | undefined;
}

/** What came back for a call. */
export interface HttpResponse {
  readonly call: SentRequest;
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The body as text. */
  readonly text: string;
  /** The body as JSON, or undefined where it is none. */
  readonly json: unknown;
}

/** An object of JSON, whose fields are looked at one by one. */
export type Fields = Readonly<Record<string, unknown>>;

/** The fields of a body that is an object; of any other there are none. */
export function fieldsOf(value: unknown): Fields {
  // Neither null nor a list is left, so it is an object.
  return value !== null && typeof value === "object" && !Array.isArray(value)
    ? (value as Fields)
    : {};
}

/** The elements of a list; of anything else there are none. */
export function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
