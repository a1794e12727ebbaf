import type { Duration } from "../config/duration.ts";
import type { CallOptions } from "../config/options.ts";
import type { Settings } from "../config/resolve-config.ts";
import type { Answer } from "../http/response.ts";
import { within, type Deadline } from "../http/deadline.ts";
import type { RateLimit } from "../http/rate-limit.ts";

/** What a call gave, and the answer that it came with. */
export interface WithResponse<Data> {
  readonly data: Data;
  /** The answer; its body has been read. */
  readonly response: Response;
  /** The `x-request-id` of the answer. */
  readonly requestId?: string | undefined;
  /** What its headers say of the rate limit. */
  readonly rateLimit?: RateLimit | undefined;
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

/** Does the work of a call within its limits. Whatever is wrong with the call makes its promise reject. */
export function call<Data>(
  settings: () => Settings,
  options: CallOptions,
  fallback: Duration | undefined,
  work: (deadline: Deadline) => Promise<Data>,
): Call<Data> {
  let limits: Deadline | undefined;
  const begin = async (): Promise<Data> => {
    const { clock, timeout } = settings();
    return within({ clock }, options, fallback ?? timeout, (deadline) => work((limits = deadline)));
  };
  const promise = begin();
  return Object.assign(promise, {
    withResponse: async () => {
      const data = await promise;
      const { answer } = limits ?? {};
      // A call that has given something has had an answer.
      const { response, requestId, rateLimit } = answer as Answer;
      return { data, response, requestId, rateLimit };
    },
  });
}
