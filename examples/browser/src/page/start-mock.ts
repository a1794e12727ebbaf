import type { TryOnOptions } from "@tryon/client";
import { createMock } from "@tryon/mock";
import { handlers } from "@tryon/mock/msw";
import { setupWorker } from "msw/browser";

import { canvasEngine } from "./canvas-engine.ts";

/** Starts the reference server in the page, behind a service worker. A reload resets it. */
export async function startMock(): Promise<TryOnOptions> {
  const baseUrl = new URL("/tryon-service", location.href).href;
  const mock = createMock({ engine: canvasEngine, latency: "4s" });
  const worker = setupWorker(...handlers(mock, { baseUrl }));
  await worker.start({ quiet: true, onUnhandledFrame: "bypass" });
  // The key works only with this mock.
  return { apiKey: mock.keys.live, baseUrl, allowLiveKey: true, pollInterval: "500ms" };
}
