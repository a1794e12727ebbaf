import type { Refusal } from "./journal-entry.ts";
import type { HttpRequest, HttpResponse, RequestHeaders } from "../http/message.ts";
import { maskBody, maskHeaders, maskText } from "./masking.ts";

/** Maximum number of characters of a body, of the part of it that is masked, and of the reason of a refusal. */
const limits = { body: 4_000, masked: 8_000, detail: 300 } as const;

export const shortenedMark = "… (shortened)";

/** A fault near a request to which it did not apply, and the reason. */
export interface FaultMiss {
  readonly faultId: string;
  readonly reason: string;
}

/** Headers without secrets, and the beginning of a body without images and secrets. */
export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  /** Null without a body, or if the server did not read it. */
  readonly body: string | null;
}

/** Headers and bodies of a request and its response. Masks them when they are read, since most never are. */
export class Exchange {
  readonly origin: string;
  readonly #headers: RequestHeaders;
  #body: () => string | null = () => null;
  #response: (Pick<HttpResponse, "headers"> & { readonly text: string | null }) | undefined;
  faultMisses: readonly FaultMiss[] = [];

  constructor(request: HttpRequest) {
    this.origin = request.origin;
    this.#headers = request.headers;
  }

  get request(): Message {
    return { headers: maskHeaders(this.#headers), body: this.#body() };
  }

  /** Null before the response, and after a broken connection. */
  get response(): Message | null {
    if (this.#response === undefined) return null;
    const { headers, text } = this.#response;
    // Masking gets more than the part that is kept, which could end within a secret.
    const body = text && shortened(maskBody(text), limits.body, text.length > limits.masked);
    return { headers: maskHeaders(Object.entries(headers)), body };
  }

  /** Notes the body of the request: a JSON value, or the beginning of another text. Keeps only the text of a long one. */
  noteBody(body: unknown, isShort: boolean): void {
    const mask = (): string => shortened(maskBody(body), limits.body);
    const text = isShort ? undefined : mask();
    this.#body = text === undefined ? mask : () => text;
  }

  /** Notes the response, and returns the reason if it is a refusal. */
  noteResponse({ headers, status, body, rule }: HttpResponse): Refusal | null {
    const text = typeof body === "string" ? body : null;
    this.#response = { headers, text: text && beginningOf(text, limits.masked + 1) };
    if (status < 400) return null;
    const detail = shortened(maskText(detailOf(text ?? "")), limits.detail);
    return rule === undefined && detail === "" ? null : { rule: rule ?? null, detail };
  }
}

function detailOf(text: string): string {
  if (!text.startsWith("{")) return "";
  try {
    const { detail }: { detail?: unknown } = Object(JSON.parse(text));
    if (typeof detail === "string") return detail;
    return Array.isArray(detail) ? detail.map(problemText).join("; ") : "";
  } catch {
    // A fault can have any text as its body.
    return "";
  }
}

function problemText(problem: unknown): string {
  const { loc, msg }: { loc?: unknown; msg?: unknown } = Object(problem);
  return `${Array.isArray(loc) ? loc.join(".") : "body"}: ${String(msg)}`;
}

function shortened(text: string, max: number, isPart = false): string {
  return text.length <= max && !isPart ? text : `${beginningOf(text, max)}${shortenedMark}`;
}

/** Returns a text or its beginning. A copy, since a slice would keep the whole text in memory. */
function beginningOf(text: string, max: number): string {
  if (text.length <= max) return text;
  return new TextDecoder().decode(new TextEncoder().encode(text.slice(0, max)));
}
