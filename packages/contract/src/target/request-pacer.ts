import { fieldsOf, type HttpResponse } from "../wire/response.ts";
import type { Time } from "./time.ts";

/** The window of the service's rate limit, in milliseconds. */
const window = 60_000;

/** How long to wait when a 429 does not say it. */
const fallback = window;

/** The longest wait that a `Retry-After` can ask for. */
const longest = 2 * window;

/** How many calls of a key's minute are left to others who use it. */
const share = 0.9;

/**
 * Keeps the calls of each key under its rate limit: nobody else who uses the key is to meet a 429 because of the kit.
 */
export class RequestPacer {
  readonly #time: Time;
  readonly #keys = new Map<string, { limit: number; calls: number[] }>();

  constructor(time: Time) {
    this.#time = time;
  }

  /** Waits until one more call with this key is within its limit. */
  async turn(token: string): Promise<void> {
    const { limit, calls } = this.#of(token);
    const most = Math.max(1, Math.floor(limit * share));
    const now = this.#time.now();
    while (calls[0] !== undefined && calls[0] <= now - window) calls.shift();
    const [oldest] = calls;
    if (calls.length >= most && oldest !== undefined) {
      await this.#time.pass(oldest + window - now);
    }
    calls.push(this.#time.now());
  }

  /** Learns from an answer how many calls a key has: by its headers, or as the account says. */
  learn(token: string, { headers, json }: HttpResponse): void {
    const limit = Number(headers.get("x-ratelimit-limit") ?? fieldsOf(json)["rate_limit_per_min"]);
    if (limit > 0) this.#of(token).limit = limit;
  }

  /** Learns it from the account. */
  set(token: string, limit: number): void {
    if (limit > 0) this.#of(token).limit = limit;
  }

  /** Waits as long as a 429 asks for. */
  async waitOut(answer: HttpResponse): Promise<void> {
    await this.#time.pass(Math.min(longest, retryAfter(answer) ?? fallback));
  }

  #of(token: string): { limit: number; calls: number[] } {
    const known = this.#keys.get(token) ?? { limit: 60, calls: [] };
    this.#keys.set(token, known);
    return known;
  }
}

/** What `Retry-After` asks for, in milliseconds: seconds, or a date that is held against the answer's own. */
export function retryAfter({ headers }: HttpResponse): number | undefined {
  const text = headers.get("retry-after");
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const then = Date.parse(text);
  const now = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(then - now) ? undefined : Math.max(0, then - now);
}
