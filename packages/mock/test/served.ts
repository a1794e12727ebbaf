import { onTestFinished } from "vitest";

import type { Mock } from "../src/mock.ts";
import { serve, type ServeOptions } from "../src/node/serve.ts";
import { rawConnection } from "./raw-connection.ts";
import { plainCalls, withFaults } from "./with-faults.ts";

const send: typeof fetch = (url, init) => fetch(url, { ...init, redirect: "manual" });

/** Serves a mock on a manual clock until the end of the test, with functions that send requests over HTTP. */
export async function served(
  options: ServeOptions = {},
  wrap = (fetch: Mock["fetch"]): Mock["fetch"] => fetch,
) {
  const { mock, headers } = withFaults();
  const server = await serve({ fetch: wrap(mock.fetch) }, options);
  onTestFinished(() => server.close());
  const open = (text = "") => rawConnection(server.port, text);
  return { mock, server, headers, open, ...plainCalls(send, server.url) };
}
