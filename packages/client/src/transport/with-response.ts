import type { Answer } from "./answer.ts";
import { readRateLimit, type RateLimit } from "./rate-limit.ts";

/** What a call gave, and the answer that it came with. */
export interface WithResponse<Data> {
  readonly data: Data;
  /** The answer; its body has been read. */
  readonly response: Response;
  /** The `x-request-id` of the answer. */
  readonly requestId: string | undefined;
  /** What its headers say of the rate limit. */
  readonly rateLimit: RateLimit | undefined;
}

/** The promise of a call. */
export interface Call<Data> extends Promise<Data> {
  /**
   * The same, together with the answer of the service; for `run` that is the answer to the submission.
   *
   * @example
   * const { data, requestId } = await tryon.account.get().withResponse();
   */
  withResponse(): Promise<WithResponse<Data>>;
}

/** Takes the answer that a call is about. */
export type Keep = (answer: Answer, now: number) => void;

/** The promise of some work, which hands over the answer that it is about. */
export function withResponse<Data>(work: (keep: Keep) => Promise<Data>): Call<Data> {
  let details: Omit<WithResponse<Data>, "data">;
  const promise = work(({ response }, now) => {
    const { headers } = response;
    details = {
      response,
      requestId: headers.get("x-request-id") ?? undefined,
      rateLimit: readRateLimit(headers, now),
    };
  });
  return Object.assign(promise, {
    withResponse: async () => ({ data: await promise, ...details }),
  });
}
