import type { Refusal } from "./journal-entry.ts";
import { textOf } from "../http/responses.ts";
import { ruleOf } from "../http/broken-rule.ts";
import { maskBody, maskHeaders, maskText } from "./masking.ts";

/** Maximum number of characters of a body, and of the reason of a refusal. */
const limits = { body: 4_000, detail: 300 } as const;

/** End of a text of which only the beginning is kept. */
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

/** Headers and bodies of a request and its response. */
export class Exchange {
  readonly origin: string;
  readonly #headers: Headers;
  #body: string | null = null;
  #response: { readonly headers: Headers; readonly body: string | null } | undefined;
  faultMisses: readonly FaultMiss[] = [];

  constructor(request: Request) {
    this.origin = new URL(request.url).origin;
    this.#headers = request.headers;
  }

  get request(): Message {
    return { headers: maskHeaders(this.#headers), body: this.#body };
  }

  /** Null before the response, and after a broken connection. */
  get response(): Message | null {
    const { headers, body = null } = this.#response ?? {};
    return headers === undefined ? null : { headers: maskHeaders(headers), body };
  }

  /** Notes the body of the request: a JSON value, or the beginning of another text. */
  noteBody(body: unknown): void {
    this.#body = shortened(maskBody(body), limits.body);
  }

  /** Notes the response, and returns the reason if it is a refusal. */
  noteResponse(response: Response): Refusal | null {
    const { headers, status } = response;
    const text = textOf(response) ?? null;
    // Masking gets more than the part that is kept, which could end within a secret.
    const part = text?.slice(0, 2 * limits.body) ?? null;
    this.#response = {
      headers,
      body: part === null ? null : shortened(maskBody(part), limits.body, text !== part),
    };
    if (status < 400) return null;
    const rule = ruleOf(response) ?? null;
    const detail = shortened(maskText(detailOf(text ?? "")), limits.detail);
    return rule === null && detail === "" ? null : { rule, detail };
  }
}

/** Reads the reason in the body of an error: a text, or the problems of a 422. */
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

/** Returns a text or its beginning. A copy, since a slice would keep the whole text in memory. */
function shortened(text: string, max: number, isPart = false): string {
  if (text.length <= max && !isPart) return text;
  const beginning = new TextDecoder().decode(new TextEncoder().encode(text.slice(0, max)));
  return `${beginning}${shortenedMark}`;
}
