import { expect } from "vitest";

import { createMock, type Mock, type MockOptions } from "../src/mock.ts";
import { tryOn } from "./caller.ts";

/** A server on a manual clock, and calls to it that say no more than a test needs. */
export function withFaults(options: MockOptions = {}) {
  const mock = createMock({ clock: "manual", seed: "steering", ...options });
  const headers = { authorization: `Bearer ${mock.keys.live}`, "content-type": "application/json" };
  return { mock, ...plainCalls(mock.fetch, mock.baseUrl, headers) };
}

/** Submits and asks for the account through any fetch, and looks at nothing. */
export function plainCalls(
  fetch: typeof globalThis.fetch,
  baseUrl: string,
  headers: Readonly<Record<string, string>>,
) {
  return {
    submit: (fields: Readonly<Record<string, unknown>> = {}, more: Record<string, string> = {}) =>
      fetch(`${baseUrl}/api/v1/tryon`, {
        method: "POST",
        headers: { ...headers, ...more },
        body: JSON.stringify(tryOn(fields)),
      }),
    account: () => fetch(`${baseUrl}/api/v1/account`, { headers }),
    get: (path: string) => fetch(`${baseUrl}${path}`, { headers }),
  };
}

/** What is left of the first key's credits. */
export async function balanceOf(mock: Mock): Promise<number> {
  const ledger = await mock.ledger(mock.keys.live);
  return ledger?.balance ?? Number.NaN;
}

/** What a call failed with: its message, and the code of its cause. */
export async function failureOf(
  work: Promise<unknown>,
): Promise<{ name: string; message: string; code: unknown }> {
  const error = await work.then(
    () => expect.fail("The call did not fail."),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(TypeError);
  // The line above has seen that it is one.
  const { name, message, cause } = error as TypeError;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return { name, message, code };
}
