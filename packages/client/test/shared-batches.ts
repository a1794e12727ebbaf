import { createMock, type MockOptions } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { startPostgres, startRedis, startSqlite } from "@tryon/test-kit/store-servers";
import { onTestFinished } from "vitest";

import { startProgram } from "./program.ts";
import type { SharedBatchMessage, SharedBatchSettings } from "./shared-batch-program.ts";

/** Names of the stores that are installed, each with the function that starts it. */
export async function installedStores() {
  const stores = [
    ["redis", startRedis, await isInstalled("redis")],
    ["postgres", startPostgres, await isInstalled("postgres")],
    ["sqlite", startSqlite, true],
  ] as const;
  return stores.flatMap(([name, start, isThere]) => (isThere ? [[name, start] as const] : []));
}

/**
 * Serves a reference server over HTTP until the end of the test. Returns the settings of a batch with a key without limits,
 * and the numbers of its submissions and charges.
 *
 * @param hold - Waits before the response to a submission, of which it gets the number.
 */
export async function serveBatches(options: MockOptions, hold?: (submission: number) => unknown) {
  const mock = createMock(options);
  let submissions = 0;
  const server = await serve({
    fetch: async (request) => {
      if (!(request instanceof Request) || request.method !== "POST") return mock.fetch(request);
      const submission = (submissions += 1);
      const response = await mock.fetch(request);
      await hold?.(submission);
      return response;
    },
  });
  onTestFinished(async () => {
    mock.close();
    await server.close();
  });
  const { token } = await mock.createKey({ credits: 1_000_000, rateLimitPerMinute: 1_000_000 });
  const counts = async () => {
    const ledger = await mock.ledger(token);
    const charges = ledger?.entries.filter(({ credits }) => credits < 0).length;
    return { submissions, charges };
  };
  return { settings: { baseUrl: server.url, apiKey: token }, counts };
}

/** Starts a process that runs a shared batch, until the end of the test. */
export function startBatch(settings: SharedBatchSettings, cache: string) {
  const args = [JSON.stringify(settings)];
  const program = startProgram<SharedBatchMessage>("shared-batch-program.ts", args, cache);
  onTestFinished(() => program.kill());
  return program;
}
