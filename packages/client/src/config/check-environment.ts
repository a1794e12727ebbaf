import { environment } from "./environment.ts";
import { ConfigError } from "../errors/refusal-errors.ts";
import type { TryOnOptions } from "./options.ts";

/** Whether a host name is this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])\.?$/.test(hostname);
}

/** Throws when a key would be at risk. */
export function checkEnvironment(apiKey: string, address: URL, options: TryOnOptions): void {
  if (isLoopback(address.hostname)) return;
  // Key and images are sent over http only to this machine.
  check(
    address.protocol === "https:" || options.allowInsecure,
    "unsafe_environment",
    `${address.origin} is http: what is sent could be read on the way.`,
    "Use https, or set allowInsecure: true.",
  );
  // A live key is for servers: in a browser everybody can read it, and in a test it costs money.
  const place = isBrowser() ? "a browser" : isTestRun() && "a test run";
  check(
    !place || !apiKey.startsWith("svc_live_") || options.fetch || options.allowLiveKey,
    "unsafe_environment",
    `apiKey is a live key, and this is ${place}.`,
    "Use a test key, in a page proxyUrl, or set allowLiveKey: true.",
  );
}

/** Throws unless something about the options is right. */
export function check(
  right: unknown,
  code: ConfigError["code"],
  message: string,
  hint: string,
): asserts right {
  if (!right) throw new ConfigError(code, message, hint);
}

/** Whether this is a page or a worker of one. */
export function isBrowser(): boolean {
  return "document" in globalThis || "importScripts" in globalThis;
}

/** Whether vitest, jest, `node --test` or Playwright runs this, by what each sets. */
function isTestRun(): boolean {
  return (
    environment("NODE_ENV") === "test" ||
    "VITEST JEST_WORKER_ID NODE_TEST_CONTEXT TEST_WORKER_INDEX".split(" ").some(environment)
  );
}
