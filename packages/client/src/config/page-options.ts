import type { TryOnOptions } from "./options.ts";

export const pageOptionNames = {
  allowInsecure: true,
  attemptTimeout: true,
  baseUrl: true,
  clock: true,
  fetch: true,
  idempotencyWindow: true,
  logger: true,
  pollInterval: true,
  random: true,
  retries: true,
  timeout: true,
} as const;

/** Options of `PageClient`. */
export interface PageClientOptions extends Pick<TryOnOptions, keyof typeof pageOptionNames> {
  /**
   * URL of the proxy, made by `createProxy` of `@tryon/client/proxy`. A path is on the page's own site and gets its cookies.
   * The URL of another site must be https, unless it is this machine or `allowInsecure` is set.
   *
   * @example
   * import { PageClient } from "@tryon/client/session";
   *
   * const client = new PageClient({ baseUrl: "/api/tryon" });
   */
  readonly baseUrl: string | URL;
}
