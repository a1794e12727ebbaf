/** Request that was sent. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, when it was text. */
  readonly body: string | undefined;
}

/** Response to a request. */
export interface HttpResponse {
  readonly request: SentRequest;
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The body as text. */
  readonly text: string;
  /** The body as JSON, or undefined where it is none. */
  readonly json: unknown;
}

/** JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Fields of a JSON object. Other values have none. */
export function fieldsOf(value: unknown): Fields {
  // The rest can only be an object.
  return value !== null && typeof value === "object" && !Array.isArray(value)
    ? (value as Fields)
    : {};
}

/** Elements of a list. Other values have none. */
export function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isHtml({ headers }: HttpResponse): boolean {
  return (headers.get("content-type") ?? "").startsWith("text/html");
}

/** Path of the request, without its query. */
export function pathOf({ request }: HttpResponse): string {
  return new URL(request.url).pathname;
}
