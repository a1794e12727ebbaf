// The type of its result would need the library of the DOM.
const monotonic: () => number = performance.now.bind(performance);

/**
 * Parts of the platform that the server uses. They are read when this module loads, so a test framework that replaces the
 * global timers or `fetch` later does not affect the server.
 */
export const host = {
  now: Date.now.bind(Date),
  monotonic,
  setTimeout: globalThis.setTimeout.bind(globalThis),
  clearTimeout: globalThis.clearTimeout.bind(globalThis),
  fetch: globalThis.fetch.bind(globalThis),
  /** Calls the global `fetch` of the moment, replaced or not. */
  currentFetch: (request: Request): Promise<Response> => globalThis.fetch(request),
  /** Logs a warning; in Node on stderr. */
  warn: (message: string): void => {
    // The only place where the server logs on its own.
    // oxlint-disable-next-line no-console
    console.error(message);
  },
};

/** Part of the platform that a clock uses. */
export type ClockHost = Pick<
  typeof host,
  "now" | "monotonic" | "setTimeout" | "clearTimeout" | "warn"
>;

// setImmediate is much cheaper than a message channel, but pages and service workers do not have it.
const { setImmediate: immediate } = globalThis as {
  // The DOM types of this package do not have it.
  setImmediate?: (callback: () => void) => void;
};

/** Waits for everything that is already due in this event loop: promises, messages and finished reads. */
export function turn(): Promise<void> {
  if (immediate !== undefined) return new Promise((resolve) => immediate(resolve));
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(null);
  });
}
