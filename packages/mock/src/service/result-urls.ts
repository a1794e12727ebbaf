import type { Options } from "../options.ts";
import { limits } from "./catalogue.ts";
import { hmacHex, sameText } from "./digest.ts";

export type ResultUrls = ReturnType<typeof createResultUrls>;

export function createResultUrls(secret: string, resultsOrigin: Options["resultsOrigin"]) {
  const signatureOf = (path: string, expires: number): string =>
    hmacHex(secret, `${path}\n${expires}`);
  return {
    sign(job: { readonly id: string; readonly origin: string }, now: number): string {
      const expires = Math.floor((now + limits.resultUrlValidity) / 1_000);
      const path = `/results/${job.id}.png`;
      const origin = resultsOrigin === "other" ? otherOrigin(job.origin) : job.origin;
      return `${origin}${path}?expires=${expires}&signature=${signatureOf(path, expires)}`;
    },
    problem(
      { path, search }: { readonly path: string; readonly search: string },
      now: number,
    ): "signature" | "expired" | undefined {
      const query = new URLSearchParams(search);
      const expires = Number(query.get("expires") ?? Number.NaN);
      const expected = signatureOf(path, expires);
      if (!sameText(expected, query.get("signature") ?? "")) return "signature";
      return expires * 1_000 <= now ? "expired" : undefined;
    },
  };
}

/** Returns another origin of the same server: the other name of loopback, or a subdomain. */
export function otherOrigin(origin: string): string {
  const url = new URL(origin);
  if (url.hostname === "localhost") url.hostname = "127.0.0.1";
  else if (/^127\.|^\[/.test(url.hostname)) url.hostname = "localhost";
  else url.hostname = `results.${url.hostname}`;
  return url.origin;
}
