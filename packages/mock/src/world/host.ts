/**
 * What the world takes from the platform, read when this module is loaded: a test framework that replaces the global
 * timers later does not freeze the server.
 */
export const host = {
  now: Date.now.bind(Date),
  setTimeout: globalThis.setTimeout.bind(globalThis),
  clearTimeout: globalThis.clearTimeout.bind(globalThis),
};

/** Lets everything run that is already due in this event loop: promises, messages and finished reads. */
export function turn(): Promise<void> {
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
