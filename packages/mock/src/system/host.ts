/**
 * What the world takes from the platform. It is read when this module is loaded: a test framework that replaces the
 * global timers later does not freeze the server, and one that answers the global `fetch` does not swallow webhooks.
 */
export const host = {
  now: Date.now.bind(Date),
  setTimeout: globalThis.setTimeout.bind(globalThis),
  clearTimeout: globalThis.clearTimeout.bind(globalThis),
  fetch: globalThis.fetch.bind(globalThis),
  /** The global `fetch` as it is at the time of the call, for whoever has to go through what replaced it. */
  currentFetch: (request: Request): Promise<Response> => globalThis.fetch(request),
  /** Tells whoever runs the server something; in Node on stderr. */
  warn: (message: string): void => {
    // The one place where the server speaks up by itself.
    // oxlint-disable-next-line no-console
    console.error(message);
  },
};

/** The part of the platform that a clock stands on. */
export type ClockHost = Pick<typeof host, "now" | "setTimeout" | "clearTimeout" | "warn">;

// setImmediate is much cheaper than a message channel. Pages and service workers have only the channel.
const { setImmediate: immediate } = globalThis as {
  // The types of pages, under which this package is checked, do not have it.
  setImmediate?: (callback: () => void) => void;
};

/** Lets everything run that is already due in this event loop: promises, messages and finished reads. */
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
