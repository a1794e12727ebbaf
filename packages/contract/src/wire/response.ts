export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Size of a body of which `body` has only the start. */
  readonly bytes?: number;
}

export interface HttpResponse {
  readonly request: SentRequest;
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly text: string;
  readonly json: unknown;
}

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  // The rest can only be an object.
  return value !== null && typeof value === "object" && !Array.isArray(value)
    ? (value as Fields)
    : {};
}

export function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isHtml({ headers }: HttpResponse): boolean {
  return (headers.get("content-type") ?? "").startsWith("text/html");
}

export function pathOf({ request }: HttpResponse): string {
  return new URL(request.url).pathname;
}
