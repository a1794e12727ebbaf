import { fieldsOf, type HttpResponse } from "../wire/response.ts";
import type { Time } from "./time.ts";

const window = 60_000;

const maxDelay = 2 * window;

/** Share of the rate limit that the kit uses. The rest is for other users of the key. */
const share = 0.9;

export class RequestPacer {
  readonly #time: Time;
  readonly #keys = new Map<string, { limit: number; requests: number[] }>();

  constructor(time: Time) {
    this.#time = time;
  }

  async acquire(token: string): Promise<void> {
    const { limit, requests } = this.#of(token);
    const max = Math.max(1, Math.floor(limit * share));
    const now = this.#time.now();
    while (requests[0] !== undefined && requests[0] <= now - window) requests.shift();
    const [oldest] = requests;
    if (requests.length >= max && oldest !== undefined) {
      await this.#time.pass(oldest + window - now);
    }
    requests.push(this.#time.now());
  }

  readLimit(token: string, { headers, json }: HttpResponse): void {
    const limit = Number(headers.get("x-ratelimit-limit") ?? fieldsOf(json)["rate_limit_per_min"]);
    if (limit > 0) this.#of(token).limit = limit;
  }

  setLimit(token: string, limit: number): void {
    if (limit > 0) this.#of(token).limit = limit;
  }

  async waitAfter429(response: HttpResponse): Promise<void> {
    await this.#time.pass(Math.min(maxDelay, retryAfter(response) ?? window));
  }

  #of(token: string): { limit: number; requests: number[] } {
    const known = this.#keys.get(token) ?? { limit: 60, requests: [] };
    this.#keys.set(token, known);
    return known;
  }
}

/** Delay of `Retry-After` in milliseconds. A date is relative to the `Date` of the response. */
export function retryAfter({ headers }: HttpResponse): number | undefined {
  const text = headers.get("retry-after");
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const then = Date.parse(text);
  const now = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(then - now) ? undefined : Math.max(0, then - now);
}
