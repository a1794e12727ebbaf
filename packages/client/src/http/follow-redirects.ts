import type { HttpRequest } from "./http-request.ts";
import type { Outcome } from "./outcome-table.ts";
import { sendWithRetries, type CallContext, type HttpContext } from "./send-with-retries.ts";

const maxRedirects = 5;

/** Sends a request to a store with retries, and follows its redirects. Pages need only the former: `fetch` follows redirects there. */
export async function followRedirects(
  http: HttpContext,
  request: HttpRequest,
  call: CallContext,
): Promise<Outcome> {
  let { url } = request;
  const isPrivate = isPrivateHost(url);
  for (let redirects = 0; ; redirects += 1) {
    const outcome = await sendWithRetries(http, { ...request, url }, call);
    const { redirect, headers } = outcome.response ?? {};
    const location = (redirect && headers?.get("location")) ?? "";
    const target = location && URL.canParse(location, url) ? new URL(location, url).href : "";
    const isSafe =
      target.startsWith("https:") || (target.startsWith("http:") && !url.startsWith("https:"));
    if (!isSafe || redirects === maxRedirects || (isPrivateHost(target) && !isPrivate)) {
      return outcome;
    }
    url = target;
  }
}

function isPrivateHost(url: string): boolean {
  const { hostname } = new URL(url);
  return /^(localhost|.*\.(localhost|local|internal)|(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))(\.\d+)+|\[(::|f[cd]|fe[89ab]).*)\.?$/.test(
    hostname,
  );
}
