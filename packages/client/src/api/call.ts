import type { HttpResponse } from "../http/response.ts";
import type { RateLimit } from "../types/attempt.ts";

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

/** Adds `withResponse` to the promise of a call. */
export function toCall<Data>(responded: Promise<Responded<Data>>): Call<Data> {
  const promise = responded.then(({ data }) => data);
  return Object.assign(promise, {
    withResponse: async () => {
      const data = await promise;
      const { response, requestId, rateLimit } = (await responded).response;
      return { data, response, requestId, rateLimit };
    },
  });
}
