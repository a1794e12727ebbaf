import { isLoopback } from "@tryon/shared/key-url";
import { show } from "@tryon/shared/options";

export function originProblem(text: string): string | undefined {
  if (text === "*") return undefined;
  const url = URL.parse(text);
  if (url && url.host !== "" && text === `${url.protocol}//${url.host}`) return undefined;
  return `${show(text)} is not an origin; give scheme, host and port as browsers send them, such as "https://shop.example" or "http://192.168.0.7:3000", or "*" for all.`;
}

/** If true, pages of the origin may send requests. Pages of this machine always may. */
export function isAllowedOrigin(origin: string, allowed: readonly string[]): boolean {
  if (allowed.includes(origin) || allowed.includes("*")) return true;
  const url = URL.parse(origin);
  return url !== null && /^https?:$/.test(url.protocol) && isLoopback(url.hostname);
}
