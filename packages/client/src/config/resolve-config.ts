import type { Middleware } from "../types/middleware.ts";
import { milliseconds } from "./duration.ts";
import { environment } from "./environment.ts";
import { InputError } from "../errors/refusal-errors.ts";
import { check, checkEnvironment } from "./check-environment.ts";
import type { BudgetLimit } from "../types/budget.ts";
import { defaults, type Fetch, type Logger, type TryOnOptions } from "./options.ts";
import { systemClock, type Clock } from "./clock.ts";
import { redactor, type Redact } from "../errors/redact.ts";

/** The options with every default filled in and every value checked. */
export interface Config {
  /** Empty for a client of a proxy, which adds its own, and before a function has returned it. */
  readonly apiKey: string;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly random: () => number;
  readonly timeout: number;
  readonly attemptTimeout: number;
  readonly retries: number;
  readonly maxResultBytes: number;
  readonly idempotencyWindow: number;
  readonly keyInMetadata: boolean | undefined;
  readonly validate: boolean;
  readonly budget: BudgetLimit | undefined;
  readonly middleware: readonly Middleware[];
  readonly log: (level: keyof Logger, message: string, ...details: unknown[]) => void;
  readonly redact: Redact;
}

/** Throws `invalid_config`, `unsafe_environment`, or `invalid_input` for a number out of bounds. */
export function resolveConfig(options: TryOnOptions): Config {
  const { proxyUrl } = options;
  // Typed as always there, but only pages and their workers have it.
  const { location } = globalThis as { location?: Location };
  let apiKey = "";
  let address: URL;
  if (proxyUrl === undefined) {
    if (typeof options.apiKey !== "function") {
      apiKey = required(options.apiKey, "apiKey", "TRYON_API_KEY");
      check(
        /^[!-~]+$/.test(apiKey),
        "invalid_config",
        "apiKey (TRYON_API_KEY) contains spaces or line breaks.",
        "Copy it again, without quotes and line breaks.",
      );
    }
    const baseUrl = required(options.baseUrl?.toString(), "baseUrl", "TRYON_BASE_URL");
    address = parseAddress(baseUrl, "baseUrl (TRYON_BASE_URL)");
  } else {
    check(
      (options.apiKey ?? options.baseUrl) === undefined,
      "invalid_config",
      "proxyUrl goes without apiKey and baseUrl.",
      "Give them to the proxy alone.",
    );
    address = parseAddress(`${proxyUrl}`, "proxyUrl", location?.href);
  }
  // A page without https can be safe no other way than it is.
  if (proxyUrl === undefined || address.origin !== location?.origin)
    checkEnvironment(apiKey, address, options);
  const { fetch, clock = systemClock, random = Math.random } = options;
  const { retries = defaults.retries, maxResultBytes = defaults.maxResultBytes } = options;
  for (const [name, count] of Object.entries({ retries, maxResultBytes })) {
    if (!Number.isInteger(count) || count < 0) {
      throw new InputError(name, "is not a whole number from 0 up");
    }
  }
  const { logger } = options;
  const redact = redactor(apiKey);
  const time = (name: "timeout" | "attemptTimeout" | "idempotencyWindow"): number =>
    milliseconds(options[name] ?? defaults[name], name);
  return {
    apiKey,
    baseUrl: address.href.replace(/\/+$/, ""),
    // Read at each request, so that a `fetch` that is replaced later is honoured; browsers want no `this` but their own.
    fetch: (url, init) => (fetch ?? globalThis.fetch)(url, init),
    clock,
    random,
    timeout: time("timeout"),
    attemptTimeout: time("attemptTimeout"),
    retries,
    maxResultBytes,
    idempotencyWindow: time("idempotencyWindow"),
    keyInMetadata: options.keyInMetadata,
    validate: options.validate ?? true,
    budget: options.budget,
    middleware: [options.middleware ?? []].flat(),
    log: (level, message, ...details) => {
      try {
        logger?.[level]?.(redact(message), ...details);
      } catch {
        // What listens to a call never ends it.
      }
    },
    redact,
  };
}

function required(value: string | undefined, option: string, variable: string): string {
  const text = (value ?? environment(variable) ?? "").trim();
  check(
    text,
    "invalid_config",
    value === undefined ? `There is no ${option}.` : `${option} is blank.`,
    `Give new TryOn({ ${option} }), in a page { proxyUrl }, or the environment variable ${variable}.`,
  );
  return text;
}

function parseAddress(text: string, name: string, base?: string): URL {
  const address = parseUrl(text, base);
  check(
    // Only without user, query and fragment is that all of it.
    address && address.href === address.origin + address.pathname,
    "invalid_config",
    `${name} is no address of a service.`,
    "Give an http or https address without user, query and fragment.",
  );
  return address;
}

/** An http or https URL; undefined for any other text. */
export function parseUrl(text: string, base?: string): URL | undefined {
  const url = URL.canParse(text, base) ? new URL(text, base) : undefined;
  return url && /^https?:/.test(url.href) ? url : undefined;
}
