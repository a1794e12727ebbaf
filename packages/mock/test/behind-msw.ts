import type { RequestHandler } from "msw";
import { setupServer } from "msw/node";
import { onTestFinished } from "vitest";

import { createMock, type MockOptions } from "../src/mock.ts";
import { handlers } from "../src/msw/handlers.ts";
import { tryOn } from "./caller.ts";
import { loopback } from "./loopback.ts";

/** Base URL of the tested code. */
export const baseUrl = "https://api.tryon.example";

/** Creates a server behind msw until the end of the test, and functions that send requests with the global `fetch`. */
export function behindMsw(
  options: MockOptions = {},
  base = baseUrl,
  others: readonly RequestHandler[] = [],
) {
  const mock = createMock({ clock: "manual", seed: "msw", ...options });
  let note: (() => void) | undefined;
  const reached = new Promise<void>((resolve) => (note = resolve));
  const observing: typeof mock.fetch = (resource, init) => {
    note?.();
    return mock.fetch(resource, init);
  };
  const server = setupServer(
    ...handlers({ ...mock, fetch: observing }, { baseUrl: base }),
    ...others,
  );
  server.listen({ onUnhandledFrame: "bypass" });
  onTestFinished(() => {
    server.close();
    mock.close();
  });
  const headers = { authorization: `Bearer ${mock.keys.live}`, "content-type": "application/json" };
  const submit = (fields: Record<string, unknown> = {}, init: RequestInit = {}) =>
    fetch(`${base}/api/v1/tryon`, {
      method: "POST",
      headers,
      body: JSON.stringify(tryOn(fields)),
      ...init,
    });
  const poll = async (jobId: string) => {
    const response = await fetch(`${base}/api/v1/tryon/${jobId}`, { headers });
    // The contract's response to a poll has these.
    return (await response.json()) as { status: string; result_url: string; result_bytes: number };
  };
  const submitted = async (fields: Record<string, unknown> = {}) => {
    // The contract's response to a submission has a job_id.
    const { job_id } = (await (await submit(fields)).json()) as { job_id: string };
    return job_id;
  };
  return { mock, headers, submit, submitted, poll, reached };
}

/** Starts a server on this machine until the end of the test. */
export async function receiver(respond?: Parameters<typeof loopback>[0]) {
  const server = await loopback(respond);
  onTestFinished(() => server.close());
  return server;
}
