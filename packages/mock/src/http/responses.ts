import type { ValidationError } from "@tryon/spec/openapi";
import type { Options } from "../options.ts";
import type { RateWindow } from "../service/keys.ts";
import { ServiceError, type ServiceErrorCode } from "../service/service-error.ts";
import { isConnectionReset } from "./broken-connection.ts";
import { httpDate } from "../system/date.ts";
import { BrokenBody, MalformedBody, OversizeBody, WrongContentType } from "./body.ts";
import { brokenRule } from "./broken-rule.ts";
import type { HttpResponse } from "./message.ts";
import { InvalidFields, InvalidInput } from "./validation.ts";

const statusOf: Readonly<Record<ServiceErrorCode, number>> = {
  "bad-request": 400,
  unauthorized: 401,
  "insufficient-credits": 402,
  "payment-failed": 402,
  forbidden: 403,
  "not-found": 404,
  conflict: 409,
  "rate-limited": 429,
  "server-error": 500,
};

export const nullBodyStatuses: ReadonlySet<number> = new Set([204, 205, 304]);

type Headers = Readonly<Record<string, string>>;

export function json(body: unknown, status = 200, headers: Headers = {}): HttpResponse {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}

export function html(body: string, status = 200, headers: Headers = {}): HttpResponse {
  return { status, headers: { "content-type": "text/html; charset=utf-8", ...headers }, body };
}

export function proxyPage(status: number, title: string): HttpResponse {
  return html(
    `<html><head><title>${status} ${title}</title></head><body><center><h1>${status} ${title}</h1></center></body></html>`,
    status,
  );
}

/** Notes the broken rule on the response. @throws errors of a broken connection, since no one can receive a response. */
export function errorResponse(error: unknown, options: Options): HttpResponse {
  return { ...documentedResponse(error, options), rule: brokenRule(error) };
}

function documentedResponse(error: unknown, options: Options): HttpResponse {
  if (error instanceof ServiceError) {
    const challenge = error.reason === "unauthorized" ? { "www-authenticate": "Bearer" } : {};
    return json({ detail: error.message }, statusOf[error.reason], challenge);
  }
  if (error instanceof MalformedBody && options.malformedBody === 400) {
    return json({ detail: "The body has to be a JSON object." }, 400);
  }
  if (error instanceof WrongContentType && options.wrongContentType === 415) {
    return json({ detail: "Send the body with Content-Type: application/json." }, 415);
  }
  if (error instanceof InvalidFields && options.fieldStatus === 400) {
    return json({ detail: error.problems.map(problemText).join("; ") }, 400);
  }
  if (error instanceof InvalidInput) return json({ detail: error.problems }, 422);
  if (error instanceof OversizeBody) {
    return options.oversize === 413
      ? proxyPage(413, "Request Entity Too Large")
      : json({ detail: error.message }, 400);
  }
  if (error instanceof BrokenBody || isConnectionReset(error)) throw error;
  const message = error instanceof Error ? error.message : String(error);
  return json({ detail: `Internal error of the reference server: ${message}` }, 500);
}

function problemText({ loc, msg }: ValidationError): string {
  return `${loc.slice(1).join(".")}: ${msg}`;
}

export function rateHeaders(
  window: RateWindow,
  now: number,
  options: Options,
): Record<string, string> {
  const { rateHeaders: when, resetUnit, retryAfterFormat } = options;
  const secondsUntil = (at: number): number => Math.max(1, Math.ceil((at - now) / 1_000));
  const headers: Record<string, string> = {};
  if (when === "all" || (when === "429-only" && window.exceeded)) {
    headers["x-ratelimit-limit"] = String(window.limit);
    headers["x-ratelimit-remaining"] = String(window.remaining);
    headers["x-ratelimit-reset"] = String(
      resetUnit === "epoch" ? Math.ceil(window.resetAt / 1_000) : secondsUntil(window.resetAt),
    );
  }
  if (window.exceeded) {
    headers["retry-after"] =
      retryAfterFormat === "seconds"
        ? String(secondsUntil(window.retryAt))
        : httpDate(window.retryAt);
  }
  return headers;
}
