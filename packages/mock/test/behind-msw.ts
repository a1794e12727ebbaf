import type { RequestHandler } from "msw";
import { setupServer } from "msw/node";
import { onTestFinished } from "vitest";

import { createMock, type MockOptions } from "../src/mock.ts";
import { handlers } from "../src/msw/handlers.ts";
import { plainCalls } from "./with-faults.ts";

/** Base URL of the tested code. */
export const baseUrl = "https://api.tryon.example";

/** Starts msw with handlers until the end of the test. */
export function listening(...all: readonly RequestHandler[]) {
  const server = setupServer(...all);
  server.listen({ onUnhandledFrame: "bypass" });
  onTestFinished(() => server.close());
  return server;
}

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
  listening(...handlers({ ...mock, fetch: observing }, { baseUrl: base }), ...others);
  onTestFinished(() => mock.close());
  return { mock, reached, ...plainCalls((...sent) => fetch(...sent), base) };
}
