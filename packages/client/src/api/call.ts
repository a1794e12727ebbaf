import type { CallOptions, Duration } from "../types/call-options.ts";
import type { RateLimit } from "../types/attempt.ts";
import type { Config } from "../config/resolve-config.ts";
import { within, type Deadline } from "../http/deadline.ts";
import type { HttpResponse } from "../http/response.ts";

/** Result of a call, and the response of the service. */
export interface WithResponse<Data> {
  readonly data: Data;
  /** Response, with its body read. */
  readonly response: Response;
  /** `x-request-id` of the response. */
  readonly requestId?: string | undefined;
  /** Rate limit from the headers of the response. */
  readonly rateLimit?: RateLimit | undefined;
}

/** Promise of a call's result. */
export interface Call<Data> extends Promise<Data> {
  /**
   * Returns the result with the response of the service. For `run`, that is the response to the submission.
   *
   * @example
   * const { data, requestId } = await tryon.account.get().withResponse();
   */
  withResponse(): Promise<WithResponse<Data>>;
}

/** Data of a response, and the response. */
export interface Responded<Data> {
  readonly data: Data;
  readonly response: HttpResponse;
}

/** Runs a call within its deadline. Every error, also of the configuration, rejects its promise. */
export function call<Data>(
  config: () => Config,
  options: CallOptions,
  timeout: Duration | undefined,
  work: (deadline: Deadline) => Promise<Responded<Data>>,
): Call<Data> {
  const begin = async (): Promise<Responded<Data>> => {
    const resolved = config();
    return within(resolved, options, timeout ?? resolved.timeout, work);
  };
  const responded = begin();
  const promise = responded.then(({ data }) => data);
  return Object.assign(promise, {
    withResponse: async () => {
      const data = await promise;
      const { response, requestId, rateLimit } = (await responded).response;
      return { data, response, requestId, rateLimit };
    },
  });
}
