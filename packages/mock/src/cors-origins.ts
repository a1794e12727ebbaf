import { isLoopback } from "./loopback.ts";
import { show } from "./shown.ts";

/** Describes why `corsOrigins` cannot contain a text, or gives undefined. */
export function originProblem(text: string): string | undefined {
  if (text === "*") return undefined;
  const url = parse(text);
  if (url !== undefined && url.host !== "" && text === `${url.protocol}//${url.host}`)
    return undefined;
  return `${show(text)} is not an origin; give scheme, host and port as browsers send them, such as "https://shop.example" or "http://192.168.0.7:3000", or "*" for all.`;
}

/** If true, pages of the origin may call the server. Pages of this machine always may. */
export function isAllowedOrigin(origin: string, allowed: readonly string[]): boolean {
  if (allowed.includes(origin) || allowed.includes("*")) return true;
  const url = parse(origin);
  return url !== undefined && /^https?:$/.test(url.protocol) && isLoopback(url.hostname);
}

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
