import { isApp } from "#app";
import { isPage } from "#page";
import { describeCredential } from "@tryon/shared/credential";
import { readDuration } from "@tryon/shared/duration";
import { isLoopback, mayReceiveKeys, withoutApiPath } from "@tryon/shared/key-url";
import { hintFor } from "@tryon/shared/known-names";

import { ConfigError, InputError } from "../errors/refusal-errors.ts";
import { redactor, redactText, type Redact } from "../errors/redact.ts";
import type { Duration } from "../types/call-options.ts";
import { clientClock, defaultClock } from "./clock.ts";
import { defaults, type Logger, type TryOnOptions } from "./options.ts";
import type { PageClientOptions } from "./page-options.ts";

export { readDuration } from "@tryon/shared/duration";
export { isLoopback } from "@tryon/shared/key-url";
export { likelyName, unknownName } from "@tryon/shared/known-names";

export interface Config extends Omit<ReturnType<typeof completeConfig>, "validate"> {
  /** If undefined, the client validates only what it finds while it reads the input. */
  readonly validate: boolean | undefined;
}

/** Resolves the options of a client of the service, or of a proxy with all that a client can do. */
export function resolveConfig(options: TryOnOptions): Config {
  const { proxyUrl } = options;
  // Only pages and their workers have a location.
  const { location } = globalThis as { location?: Location };
  let apiKey = "";
  let serviceUrl: URL;
  if (proxyUrl === undefined) {
    if (typeof options.apiKey !== "function") {
      apiKey = required(options.apiKey, "apiKey", "TRYON_API_KEY");
      const problem = keyProblem(apiKey);
      check(!problem, `apiKey (TRYON_API_KEY) ${problem}.`, "Copy it again.");
    }
    const baseUrl = required(options.baseUrl?.toString(), "baseUrl", "TRYON_BASE_URL");
    serviceUrl = parseServiceUrl(baseUrl, "baseUrl (TRYON_BASE_URL)");
    const root = withoutApiPath(serviceUrl.href);
    const path = serviceUrl.href.slice(root?.length).replace(/\/+$/, "");
    check(
      root === undefined,
      `baseUrl (TRYON_BASE_URL) ends in ${path}, which the client adds.`,
      `Use ${root}.`,
    );
  } else {
    check(
      (options.apiKey ?? options.baseUrl) === undefined,
      "proxyUrl cannot be combined with apiKey or baseUrl.",
      "Pass them to the proxy.",
    );
    serviceUrl = parseServiceUrl(`${proxyUrl}`, "proxyUrl", location?.href);
  }
  // A proxy on the page's own site is as safe as the page.
  if (proxyUrl === undefined || serviceUrl.origin !== location?.origin) {
    checkEnvironment(apiKey, serviceUrl, options);
  }
  // A proxy has its own, and pages have none.
  const recoveryKeys = isPage || proxyUrl !== undefined ? [] : readRecoveryKeys(options);
  return completeConfig({ ...options, recoveryKeys }, apiKey, serviceUrl, redactor(apiKey));
}

/** Resolves the options of a client of a proxy that only pages use. */
export function resolvePageConfig(options: PageClientOptions): Config {
  const { location } = globalThis as { location?: Location };
  const url = parseServiceUrl(`${options.baseUrl}`, "baseUrl", location?.href);
  if (url.origin !== location?.origin) checkTransport(url, options);
  return { ...completeConfig(options, "", url, redactText), validate: undefined };
}

/** @param apiKey - Empty for a client of a proxy, which adds its own key, and before the `apiKey` function has returned one. */
function completeConfig(
  options: Omit<TryOnOptions, "apiKey" | "baseUrl">,
  apiKey: string,
  serviceUrl: URL,
  redact: Redact,
) {
  const { fetch, logger, clock = defaultClock(), random = Math.random } = options;
  const { onRateLimit = "wait", pollInterval = environment("TRYON_POLL_INTERVAL") } = options;
  const isKnown = typeof onRateLimit === "function" || /^(wait|throw)$/.test(onRateLimit);
  mustBe(isKnown, "onRateLimit", '"wait", "throw" or a function');
  const time = (name: "timeout" | "attemptTimeout" | "idempotencyWindow"): number =>
    milliseconds(options[name] ?? defaults[name], name);
  const count = (name: "retries" | "maxResultBytes"): number => {
    const value = options[name] ?? defaults[name];
    mustBe(Number.isInteger(value) && value >= 0, name, "a whole number from 0 up");
    return value;
  };
  return {
    apiKey,
    recoveryKeys: options.recoveryKeys ?? [],
    baseUrl: serviceUrl.href.replace(/\/+$/, ""),
    // Reads `globalThis.fetch` at each request, since it may be replaced. Browsers require its own `this`.
    fetch: (url: string, init: RequestInit) => {
      const send: typeof fetch = fetch ?? globalThis.fetch;
      if (!isPage) {
        check(send, "This runtime has no fetch, so nothing was sent.", "Pass the option fetch.");
      }
      return send(url, init);
    },
    clock: clientClock(clock),
    givenClock: clock,
    random,
    timeout: time("timeout"),
    attemptTimeout: time("attemptTimeout"),
    retries: count("retries"),
    onRateLimit,
    pollInterval: readPollInterval({ pollInterval }),
    maxResultBytes: count("maxResultBytes"),
    /** Time for which the service is assumed to keep a key. */
    keyTtl: time("idempotencyWindow"),
    // A request may arrive late, and the service must still know its key then.
    idempotencyWindow: time("idempotencyWindow") * 0.9,
    keyInMetadata: options.keyInMetadata,
    validate: options.validate ?? true,
    middleware: [options.middleware ?? []].flat(),
    log: (level: keyof Logger, message: string, ...details: unknown[]) => {
      try {
        logger?.[level]?.(redact(message), ...details);
      } catch {
        // A logger that throws must not end the call.
      }
    },
    redact,
  };
}

/** Returns why a text cannot be an API key, which is sent in a header. */
function keyProblem(key: string): string | undefined {
  const isOther = /[^!-~]/.test(key);
  // A page usually has no key.
  if (isPage) return isOther ? "contains white space" : undefined;
  return (
    describeCredential(key) ??
    (isOther ? "contains other characters than visible ASCII" : undefined)
  );
}

function required(value: string | undefined, option: string, variable: string): string {
  const text = (value ?? environment(variable) ?? "").trim();
  check(
    text,
    `${option} is ${value === undefined ? "missing" : "empty"}.`,
    `${isPage ? "" : `Pass ${option}, or set ${variable}. `}In a page, pass proxyUrl.`,
  );
  return text;
}

function parseServiceUrl(text: string, name: string, base?: string): URL {
  const url = URL.canParse(text, base) ? new URL(text, base) : undefined;
  check(
    url && /^https?:/.test(url.href) && url.href === url.origin + url.pathname,
    `${name} is not an http or https URL without user, query and fragment.`,
    "Use a URL such as https://api.example.com.",
  );
  return url;
}

function checkEnvironment(apiKey: string, url: URL, options: TryOnOptions): void {
  if (isLoopback(url.hostname)) return;
  checkTransport(url, options);
  // Every visitor of a page can read its key, and a live key costs money in tests.
  const place = isApp
    ? "an app"
    : isPage || isBrowser()
      ? "a browser"
      : isTestRun() && "a test run";
  check(
    !place || !apiKey.startsWith("svc_live_") || options.fetch || options.allowLiveKey,
    `apiKey is a live key, and this is ${place}.`,
    "Use a test key, in a page proxyUrl, or set allowLiveKey: true.",
    "unsafe_environment",
  );
}

/** Key and images are sent over http only to this machine. */
function checkTransport(url: URL, { allowInsecure }: Pick<TryOnOptions, "allowInsecure">): void {
  check(
    mayReceiveKeys(url) || allowInsecure,
    `${url.origin} is http: others could read the key and the images.`,
    "Use https, or set allowInsecure: true.",
    "unsafe_environment",
  );
}

export function check(
  condition: unknown,
  message: string,
  hint = "",
  code: ConfigError["code"] = "invalid_config",
): asserts condition {
  if (!condition) throw new ConfigError(code, message, hint);
}

export function mustBe(isValid: boolean, option: string, expected: string): void {
  if (!isValid) throw new InputError(option, `must be ${expected}`);
}

export function rejectUnknown(...given: Parameters<typeof unknownOption>): void {
  const unknown = unknownOption(...given);
  if (unknown) throw new InputError(...unknown);
}

/**
 * Returns the arguments of the `InputError` for the first unknown option that has a value. Other entry points than the main
 * one throw the class that they import from it: there must be one copy of it.
 */
export function unknownOption(
  of: string,
  options: object,
  known: Readonly<Record<string, unknown>>,
): [field: string, problem: string, details: { hint: string }] | undefined {
  const names = Object.keys(known);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || names.includes(name)) continue;
    // A page does without the code that finds similar names.
    return [
      name,
      `is not an option of ${of}`,
      { hint: isPage ? `Use one of: ${names.join(", ")}.` : hintFor(name, names) },
    ];
  }
  return undefined;
}

function readRecoveryKeys({ recoveryKeys }: TryOnOptions): readonly string[] {
  const keys =
    recoveryKeys ??
    environment("TRYON_RECOVERY_KEYS")
      ?.split(/[\s,]+/)
      .filter(Boolean) ??
    [];
  const areValid =
    Array.isArray(keys) && keys.every((key) => typeof key === "string" && !keyProblem(key));
  mustBe(areValid, "recoveryKeys", "a list of API keys");
  return keys;
}

export function isBrowser(): boolean {
  return isPage || "document" in globalThis || "importScripts" in globalThis;
}

/**
 * Returns true under vitest, jest, `node --test` and Playwright, by the environment variables that they set, and under mocha and
 * jasmine, by their global functions.
 */
export function isTestRun(): boolean {
  const { describe, it } = globalThis as { describe?: unknown; it?: unknown };
  return (
    environment("NODE_ENV") === "test" ||
    "VITEST JEST_WORKER_ID NODE_TEST_CONTEXT TEST_WORKER_INDEX".split(" ").some(environment) ||
    (typeof describe === "function" && typeof it === "function")
  );
}

export function environment(name: string): string | undefined {
  if (isPage) return undefined;
  // The package has no types of Node, since it also runs in browsers.
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  try {
    return process?.env?.[name] || undefined;
  } catch {
    // Deno throws if the permission is refused.
    return undefined;
  }
}

/** Returns a duration in milliseconds, which may be `Infinity`. Throws `invalid_input` with the name of its option. */
export function milliseconds(duration: Duration, option: string): number {
  const value = readDuration(duration);
  mustBe(value > 0, option, 'a positive number of milliseconds, or a string such as "30s"');
  return value;
}

const minPollInterval = 100;
const maxPollInterval = 3_600_000;

export function readPollInterval(
  { pollInterval }: { readonly pollInterval?: number | string | undefined },
  config?: Pick<Config, "pollInterval">,
): number | undefined {
  if (pollInterval === undefined) return config?.pollInterval;
  if (pollInterval === "auto") return undefined;
  const interval = readDuration(pollInterval);
  mustBe(
    interval >= minPollInterval && interval <= maxPollInterval,
    "pollInterval",
    '"auto", or from 100 ms to 1 hour, such as "2s"',
  );
  return interval;
}
