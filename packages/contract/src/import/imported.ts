import { UsageError } from "@tryon/cli-kit";

/** Recorded request of another tool. */
export interface Imported {
  readonly method: string;
  readonly url: URL;
  /** If true, a cache, a service worker or a test has answered, and not the service. */
  readonly isLocal?: boolean;
  /** Reads the rest, which is only valid for requests to the service. */
  readonly read: () => ImportedContent;
}

/** Request and response before they are masked. */
export interface ImportedContent {
  readonly request: ImportedMessage;
  /** Absent if no response has begun. */
  readonly response?: ImportedMessage & { readonly status: number };
  /** Reason for an incomplete exchange. */
  readonly error?: string | undefined;
  /** Time of the request, in milliseconds since 1970. */
  readonly at: number;
  /** Milliseconds from the request to the headers of the response, and to its end. Absent where they are not recorded. */
  readonly durations?: { readonly headersAfter: number; readonly endedAfter: number } | undefined;
  /** If true, `at` has the order of the requests, and not their times. */
  readonly isOrderOnly?: boolean;
}

export type HeaderPairs = readonly (readonly [name: string, value: string])[];

export interface ImportedMessage {
  readonly headers: HeaderPairs;
  /** Reads the body, which can be in another file. A missing body has only its length, 0 if that is unknown. */
  readonly body: () => Uint8Array | { readonly missing: number };
}

/** Recording of another tool. */
export interface Recording {
  /** Name of the format for people, such as `HAR of Playwright`. */
  readonly format: string;
  readonly exchanges: readonly Imported[];
  /** Tool that leaves out requests without a response, such as `nock`. */
  readonly skipsUnanswered?: string | undefined;
}

/** Maximum size of a recording, and of one body, in MiB. */
export const maxRecordingMebibytes = 256;
export const maxBodyMebibytes = 64;

/** Value in a recording with its path, such as `log.entries[3].request.url`. Errors have the path, and never the value. */
export class Field {
  readonly value: unknown;
  readonly path: string;

  constructor(value: unknown, path = "") {
    this.value = value;
    this.path = path;
  }

  get(name: string): Field {
    const { value, path } = this;
    const own = value !== null && typeof value === "object" && Object.hasOwn(value, name);
    // Objects of JSON have values of unknown types.
    const found = own ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
    return new Field(found, path === "" ? name : `${path}.${name}`);
  }

  /** Returns the elements, or nothing for a missing list. */
  list(): readonly Field[] {
    const { value, path } = this;
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) this.fail("must be a list");
    return value.map((one: unknown, index) => new Field(one, `${path}[${index}]`));
  }

  text(): string {
    return typeof this.value === "string" ? this.value : this.fail("must be a text");
  }

  /** Returns a text, or a number as a text. Without one, it returns "". */
  optionalText(): string {
    const { value } = this;
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  }

  /** Returns a number that is 0 or more, or undefined if it is missing or -1, which means unknown. */
  size(): number | undefined {
    const { value } = this;
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "number") this.fail("must be a number");
    return value < 0 ? undefined : value;
  }

  url(): URL {
    const text = this.text();
    return URL.canParse(text) ? new URL(text) : this.fail("must be a URL");
  }

  /** Reads headers as a list of names and values, a flat list, or an object, whose values can be lists. */
  headers(): HeaderPairs {
    const { value } = this;
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) {
      const fields = this.list();
      if (typeof value[0] !== "string") return fields.flatMap((field) => field.#header());
      return fields.flatMap((field, index) =>
        index % 2 === 0 ? [[field.text(), fields[index + 1]?.text() ?? ""] as const] : [],
      );
    }
    if (typeof value !== "object") this.fail("must be a list or an object");
    return Object.keys(value).flatMap((name) => {
      const field = this.get(name);
      const values = Array.isArray(field.value) ? field.list() : [field];
      return values.map((one) => [name, one.optionalText()] as const);
    });
  }

  /** HTTP/2 has parts of the request in headers with a colon. */
  #header(): HeaderPairs {
    const name = this.get("key").value === undefined ? this.get("name") : this.get("key");
    const isUsed = !name.text().startsWith(":") && this.get("disabled").value !== true;
    return isUsed ? [[name.text(), this.get("value").optionalText()]] : [];
  }

  /** @throws UsageError with the path and the problem. */
  fail(problem: string): never {
    throw new UsageError(
      `${this.path === "" ? "The recording" : this.path} ${problem}. Record again, or correct it.`,
    );
  }
}

export function headerOf(headers: HeaderPairs, wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** Returns a status of HTTP, or undefined for a request without a response, which has 0 or -1. */
export function statusOf(field: Field): number | undefined {
  const { value } = field;
  if (value === 0 || value === -1 || value === undefined || value === null) return undefined;
  const isStatus = Number.isInteger(value) && Number(value) >= 100 && Number(value) <= 599;
  return isStatus ? Number(value) : field.fail("must be a status from 100 to 599");
}

/** Returns the code of an error, such as `net::ERR_ABORTED` or `ECONNRESET`. Other texts could have contents. */
export function errorCodeOf(field: Field | undefined): string {
  const code = field?.optionalText() ?? "";
  return /^(?:net::|NS_)?[A-Z][A-Z_]{2,40}$/.test(code) ? code : "no response";
}
