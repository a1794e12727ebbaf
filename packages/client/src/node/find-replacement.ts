import { isLoopback, isTestRun } from "../config/resolve-config.ts";

/** Global names of the dispatcher of `fetch`, which undici, msw and others can replace, the newest first. */
const dispatchers = [2, 1].map((version) => Symbol.for(`undici.globalDispatcher.${version}`));

/** Fields in which wrappers of OpenTelemetry, Sentry and zone.js name the function that they wrap. */
const originals = ["__original", "__sentry_original__", "__zone_symbol__OriginalDelegate"];

/** Source of the wrapper of dd-trace since 5.50, which names no original. */
const ofDatadog =
  /^function (?:value|fetch) \(input, init\) \{\s+return (?:fetch|wrappedFetch)\(input, init\)\s+\}$/;

/** Maximum number of wrappers around a function. Those of others can form a ring. */
const maxWrappers = 9;

/** Replacement of the global `fetch`, or of its dispatcher. */
export interface Replacement {
  readonly name: string;
  /** If true, it is there for a test. */
  readonly isMock: boolean;
}

const own = new Map<unknown, unknown>();

/**
 * Returns what has replaced the global `fetch`, or the dispatcher that it uses for a URL. A tracer or a framework replaces
 * nothing: its wrapper calls the `fetch` of Node.
 */
export function findReplacement(url: string): Replacement | undefined {
  const { fetch } = globalThis;
  if (fetch !== own.get("fetch")) {
    if (typeof fetch === "function" && !isNative(fetch)) {
      return { name: "globalThis.fetch", isMock: isTestRun() || isTestDouble(fetch) };
    }
    own.set("fetch", fetch);
  }
  for (const name of dispatchers) {
    const dispatcher: unknown = Reflect.get(globalThis, name);
    if (!dispatcher) continue;
    const { name: type } = Object(dispatcher).constructor;
    // The import of undici 8 sets it around the one of version 2.
    if (type === "Dispatcher1Wrapper" && Reflect.has(globalThis, dispatchers[0] ?? "")) continue;
    // `NODE_USE_ENV_PROXY` sets it, and it would send the key for this machine to the proxy.
    if (type === "EnvHttpProxyAgent" && isLoopback(new URL(url).hostname)) continue;
    // Node's own is made by the first request over `fetch`, and of the class `Agent`.
    if (!own.has(name) && type === "Agent") own.set(name, dispatcher);
    if (own.get(name) === dispatcher) continue;
    return { name: type, isMock: "disableNetConnect" in Object(dispatcher) };
  }
  return undefined;
}

/** Returns true for the `fetch` of Node, and for a wrapper of a tracer or a framework around it. */
function isNative(fetch: unknown): boolean {
  let current = fetch;
  for (let depth = 0; typeof current === "function" && depth < maxWrappers; depth += 1) {
    // A double of a wrapper can have copies of its fields.
    if (isTestDouble(current)) return false;
    const fields = current as Readonly<Record<string, unknown>> & typeof current;
    const original = originals.find((name) => typeof fields[name] === "function");
    if (!original) return isOwn(fields);
    current = fields[original];
  }
  return false;
}

/** Returns true for the function of Node itself, and for the wrappers of Next.js and dd-trace, which hide it. */
function isOwn(fetch: object): boolean {
  // zone.js returns the source of the original.
  const source = Function.prototype.toString.call(fetch);
  return (
    source.includes("internal/deps/undici") ||
    Reflect.get(fetch, "__nextPatched") === true ||
    (Symbol.for("dd-trace") in globalThis && ofDatadog.test(source))
  );
}

/** Returns true for a function of jest, vitest, sinon or `node:test`. */
function isTestDouble(fetch: object & { readonly mock?: unknown }): boolean {
  // The proxy of `node:test` has no field, but returns a value.
  return fetch.mock !== undefined || "isSinonProxy" in fetch;
}
