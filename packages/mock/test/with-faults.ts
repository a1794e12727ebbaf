import { expect } from "vitest";

import { createMock, type Mock, type MockOptions } from "../src/mock.ts";
import { tryOn } from "./caller.ts";

/** Headers of a submission with the live key. */
export const headers = {
  authorization: "Bearer svc_live_mock",
  "content-type": "application/json",
};

/** Creates a server on a manual clock, and functions that send requests. */
export function withFaults(options: MockOptions = {}) {
  const mock = createMock({ clock: "manual", seed: "faults", ...options });
  return { mock, headers, ...plainCalls(mock.fetch, mock.baseUrl) };
}

type Fields = Readonly<Record<string, unknown>>;

/** Creates functions that send requests through any fetch and do not check the responses. */
export function plainCalls(fetch: typeof globalThis.fetch, baseUrl: string) {
  const submit = (fields: Fields = {}, more: Record<string, string> = {}, init: RequestInit = {}) =>
    fetch(`${baseUrl}/api/v1/tryon`, {
      method: "POST",
      headers: { ...headers, ...more },
      body: JSON.stringify(tryOn(fields)),
      ...init,
    });
  const get = (path: string) => fetch(`${baseUrl}${path}`, { headers });
  const poll = async (jobId: string) => {
    const response = await get(`/api/v1/tryon/${jobId}`);
    // The contract's response to a poll has these.
    return (await response.json()) as { status: string; result_url: string; result_bytes: number };
  };
  return {
    submit,
    account: () => get("/api/v1/account"),
    get,
    poll,
    /** Returns the id of the job. */
    submitted: async (...given: Parameters<typeof submit>) => {
      // The contract's response to a submission has a job_id.
      const { job_id: id } = (await (await submit(...given)).json()) as { job_id: string };
      return id;
    },
    /** Returns the URL of the result of a job that has succeeded. */
    resultOf: async (jobId: string) => new URL((await poll(jobId)).result_url),
  };
}

/** Returns the balance of the first key. */
export async function balanceOf(mock: Mock): Promise<number> {
  const ledger = await mock.ledger(mock.keys.live);
  return ledger?.balance ?? Number.NaN;
}

/** Returns the error of a failed request, with the code of its cause. */
export async function failureOf(
  work: Promise<unknown>,
): Promise<{ name: string; message: string; code: unknown }> {
  const error = await work.then(
    () => expect.fail("The request did not fail."),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(TypeError);
  // The line above checks the type.
  const { name, message, cause } = error as TypeError;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return { name, message, code };
}
