import type { Middleware } from "../types/middleware.ts";
import { milliseconds } from "./duration.ts";
import { environment } from "./check-environment.ts";
import { InputError } from "../errors/refusal-errors.ts";
import { check, checkEnvironment } from "./check-environment.ts";
import type { BudgetLimit } from "../types/budget.ts";
import { defaults, type Fetch, type Logger, type TryOnOptions } from "./options.ts";
import { systemClock, type Clock } from "./clock.ts";
import { redactor, type Redact } from "../errors/redact.ts";

/** Validated options with defaults. */
export interface Config {
  /** Empty for a client of a proxy, which adds its own key, and before the `apiKey` function has returned one. */
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

/** Validates options. Throws `invalid_config`, `unsafe_environment`, or `invalid_input` for an invalid number. */
export function resolveConfig(options: TryOnOptions): Config {
  const { proxyUrl } = options;
  // Only pages and their workers have a location.
  const { location } = globalThis as { location?: Location };
  let apiKey = "";
  let serviceUrl: URL;
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
    serviceUrl = parseServiceUrl(baseUrl, "baseUrl (TRYON_BASE_URL)");
  } else {
    check(
      (options.apiKey ?? options.baseUrl) === undefined,
      "invalid_config",
      "proxyUrl cannot be combined with apiKey or baseUrl.",
      "Pass those to the proxy only.",
    );
    serviceUrl = parseServiceUrl(`${proxyUrl}`, "proxyUrl", location?.href);
  }
  // A proxy on the page's own site is as safe as the page.
  if (proxyUrl === undefined || serviceUrl.origin !== location?.origin) {
    checkEnvironment(apiKey, serviceUrl, options);
  }
  const { fetch, clock = systemClock, random = Math.random } = options;
  const { retries = defaults.retries, maxResultBytes = defaults.maxResultBytes } = options;
  for (const [name, count] of Object.entries({ retries, maxResultBytes })) {
    if (!Number.isInteger(count) || count < 0) {
      throw new InputError(name, "must be a whole number from 0");
    }
  }
  const { logger } = options;
  const redact = redactor(apiKey);
  const time = (name: "timeout" | "attemptTimeout" | "idempotencyWindow"): number =>
    milliseconds(options[name] ?? defaults[name], name);
  return {
    apiKey,
    baseUrl: serviceUrl.href.replace(/\/+$/, ""),
    // Reads `globalThis.fetch` at each request, since it may be replaced. Browsers require its own `this`.
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
        // A logger that throws must not end the call.
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
    `${option} is ${value === undefined ? "missing" : "empty"}.`,
    `Pass new TryOn({ ${option} }) or set the environment variable ${variable}. In a page, pass { proxyUrl }.`,
  );
  return text;
}

function parseServiceUrl(text: string, name: string, base?: string): URL {
  const url = URL.canParse(text, base) ? new URL(text, base) : undefined;
  check(
    url && /^https?:/.test(url.href) && url.href === url.origin + url.pathname,
    "invalid_config",
    `${name} is not an http or https URL without user, query and fragment.`,
    "Use a URL such as https://api.example.com.",
  );
  return url;
}
