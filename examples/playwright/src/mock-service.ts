import { createProxy } from "@tryon/client/proxy";
import { createMock, type Mock } from "@tryon/mock";
import { handlers } from "@tryon/mock/msw";
import { http } from "msw";
import { setupWorker } from "msw/browser";

declare global {
  interface Window {
    /** For tests, which control it with `page.evaluate`. */
    mock: Mock;
  }
}

/** Starts the reference server and a proxy behind a service worker, so that no request leaves the browser. */
export async function startMockService(): Promise<void> {
  const mock = createMock({ latency: 0 });
  const proxy = createProxy({
    apiKey: mock.keys.live,
    baseUrl: mock.baseUrl,
    fetch: mock.fetch,
    authorize: () => ({ id: "ada" }),
  });
  const worker = setupWorker(
    http.all("/api/tryon/*", ({ request }) => proxy(request)),
    ...handlers(mock), // for images, which the page fetches
  );
  await worker.start({ quiet: true, onUnhandledFrame: "bypass" });
  window.mock = mock;
}
