interface HostTimers extends Pick<typeof globalThis, "setTimeout" | "clearTimeout"> {
  /** Pages and service workers do not have it. */
  readonly setImmediate?: (callback: () => void) => unknown;
}

interface Builtins {
  readonly "node:perf_hooks": {
    readonly performance: { readonly timeOrigin: number; now(): number };
  };
  readonly "node:timers": HostTimers;
}

/** Returns a module of Node, which has the real functions when a test runner has replaced the global ones. */
function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] | undefined {
  const { process } = globalThis as {
    readonly process?: { getBuiltinModule?(id: Name): Builtins[Name] };
  };
  return process?.getBuiltinModule?.(name);
}

const neededGlobals = [
  "Headers",
  "ReadableStream",
  "Request",
  "Response",
  "TextDecoder",
  "TextEncoder",
  "fetch",
];

function checkEnvironment(): void {
  const missing = neededGlobals.filter((name) => !(name in globalThis));
  if (missing.length === 0) return;
  const place = "document" in globalThis ? "the DOM of this test environment" : "this runtime";
  throw new Error(
    `@tryon/mock needs ${missing.join(", ")}, which ${place} does not have. In jest with jsdom, set testEnvironment to ` +
      '"jest-fixed-jsdom", or begin the file with /** @jest-environment node */.',
  );
}

function readTimers(): HostTimers {
  const timers: HostTimers = builtin("node:timers") ?? globalThis;
  // Fake timers of sinon, jest and vitest have a clock. Those of node:test are bound methods.
  const isFake = "clock" in timers.setTimeout || timers.setTimeout.name.startsWith("bound ");
  if (!isFake) return timers;
  throw new Error(
    "The timers were fake when @tryon/mock was loaded, so its server would hang. " +
      'Load it before the fake timers start, or fake only the date: toFake: ["Date"].',
  );
}

function copyAsJson<Data>(data: Data): Data {
  // It has the type of what it was written from.
  return JSON.parse(JSON.stringify(data)) as Data;
}

checkEnvironment();
const timers = readTimers();
const { performance: time } = builtin("node:perf_hooks") ?? globalThis;
// The type of its result would need the library of the DOM.
const monotonic: () => number = time.now.bind(time);
const isRealDate = Function.prototype.toString.call(Date.now).includes("[native code]");

/**
 * Parts of the platform that the server uses. They are read when this module loads, so a test framework that replaces the
 * global timers or `fetch` later does not affect the server. In Node, it may also replace them earlier.
 */
export const host = {
  now: isRealDate ? Date.now.bind(Date) : () => Math.round(time.timeOrigin + monotonic()),
  monotonic,
  setTimeout: timers.setTimeout.bind(globalThis),
  clearTimeout: timers.clearTimeout.bind(globalThis),
  fetch: globalThis.fetch.bind(globalThis),
  /** Copies data. happy-dom in jest has no `structuredClone`. */
  copy: globalThis.structuredClone?.bind(globalThis) ?? copyAsJson,
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

/** If true, requests in Node never end, because its own code calls the fake functions. */
export function hasFakeTicks(): boolean {
  // Node does not use the functions of another realm, such as those of a test in jest.
  if (Object.getPrototypeOf(timers.setTimeout) !== Function.prototype) return false;
  const { process, queueMicrotask: microtask } = globalThis as typeof globalThis & {
    readonly process?: { readonly nextTick?: object };
  };
  return "clock" in (process?.nextTick ?? {}) || "clock" in microtask;
}

// It is much cheaper than a message channel.
const { setImmediate: immediate } = timers;

/** Waits for everything that is already due in this event loop: promises, messages and finished reads. */
export function turn(): Promise<void> {
  // Another thread sends and receives there, which takes longer than a turn.
  if ("Bun" in globalThis || "Deno" in globalThis)
    return new Promise((resolve) => void host.setTimeout(resolve, 2));
  if (immediate !== undefined) return new Promise((resolve) => void immediate(resolve));
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
