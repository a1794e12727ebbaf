import type { Options } from "../options.ts";
import { limits } from "./catalogue.ts";
import { hmacHex, sameText } from "./digest.ts";

export class ResultUrls {
  readonly #secret: string;
  readonly #origin: Options["resultsOrigin"];

  constructor(secret: string, origin: Options["resultsOrigin"]) {
    this.#secret = secret;
    this.#origin = origin;
  }

  /** Creates a URL that is valid for 24 hours from `now`. */
  sign(job: { readonly id: string; readonly origin: string }, now: number): string {
    const expires = Math.floor((now + limits.resultUrlValidity) / 1_000);
    const path = `/results/${job.id}.png`;
    const origin = this.#origin === "other" ? otherOrigin(job.origin) : job.origin;
    return `${origin}${path}?expires=${expires}&signature=${this.#signature(path, expires)}`;
  }

  /** Returns the reason why a URL is invalid at `now`, if it is. */
  problem(url: URL, now: number): "signature" | "expired" | undefined {
    const expires = Number(url.searchParams.get("expires") ?? Number.NaN);
    const expected = this.#signature(url.pathname, expires);
    if (!sameText(expected, url.searchParams.get("signature") ?? "")) return "signature";
    return expires * 1_000 <= now ? "expired" : undefined;
  }

  #signature(path: string, expires: number): string {
    return hmacHex(this.#secret, `${path}\n${expires}`);
  }
}

/** Returns another origin of the same server: the other name of loopback, or a subdomain. */
export function otherOrigin(origin: string): string {
  const url = new URL(origin);
  if (url.hostname === "localhost") url.hostname = "127.0.0.1";
  else if (/^127\.|^\[/.test(url.hostname)) url.hostname = "localhost";
  else url.hostname = `results.${url.hostname}`;
  return url.origin;
}
