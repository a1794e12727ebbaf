import { ConfigError } from "../errors/refusal-errors.ts";
import type { TryOnOptions } from "./options.ts";

/** Returns true for a host name of this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])\.?$/.test(hostname);
}

/** Throws `unsafe_environment` if the key would be at risk. */
export function checkEnvironment(apiKey: string, url: URL, options: TryOnOptions): void {
  if (isLoopback(url.hostname)) return;
  // Key and images are sent over http only to this machine.
  check(
    url.protocol === "https:" || options.allowInsecure,
    "unsafe_environment",
    `${url.origin} is http: others could read the key and the images.`,
    "Use https, or set allowInsecure: true.",
  );
  // Every visitor of a page can read its key, and a live key costs money in tests.
  const place = isBrowser() ? "a browser" : isTestRun() && "a test run";
  check(
    !place || !apiKey.startsWith("svc_live_") || options.fetch || options.allowLiveKey,
    "unsafe_environment",
    `apiKey is a live key, and this is ${place}.`,
    "Use a test key, in a page proxyUrl, or set allowLiveKey: true.",
  );
}

/** Throws a `ConfigError` unless the condition is truthy. */
export function check(
  condition: unknown,
  code: ConfigError["code"],
  message: string,
  hint: string,
): asserts condition {
  if (!condition) throw new ConfigError(code, message, hint);
}

/** Returns true in a page and in its workers. */
export function isBrowser(): boolean {
  return "document" in globalThis || "importScripts" in globalThis;
}

/** Returns true under vitest, jest, `node --test` and Playwright, by the environment variables that they set. */
function isTestRun(): boolean {
  return (
    environment("NODE_ENV") === "test" ||
    "VITEST JEST_WORKER_ID NODE_TEST_CONTEXT TEST_WORKER_INDEX".split(" ").some(environment)
  );
}

/** Returns an environment variable, or undefined if it is not set or must not be read. */
export function environment(name: string): string | undefined {
  // The package has no types of Node, since it also runs in browsers.
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  try {
    return process?.env?.[name];
  } catch {
    // Deno throws if the permission is refused.
    return undefined;
  }
}
