import type { Call } from "@tryon/client";

/**
 * Creates the return value of a method of `TryOn` from that of an async function. `mockResolvedValue` and
 * `mockRejectedValue` of a test runner need no call.
 *
 * @param work - Promise of the call's result, or the result. `withResponse()` returns it with an empty response of status 200.
 * @example
 * import { createTestCall, createTestResult } from "@tryon/client/testing";
 *
 * vi.spyOn(tryon, "run").mockImplementation(() => createTestCall(createTestResult()));
 */
export function createTestCall<Data>(work: Data | Promise<Data>): Call<Data> {
  const promise = Promise.resolve(work);
  const withResponse = async () => ({ data: await promise, response: new Response() });
  return Object.assign(promise, { withResponse });
}
