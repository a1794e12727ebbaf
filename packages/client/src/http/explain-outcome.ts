import { isPage } from "#page";

import { hints } from "../errors/hints.ts";
import type { Redact } from "../errors/redact.ts";
import type { FieldIssue } from "../errors/tryon-error.ts";
import type { HttpResponse } from "./http-request.ts";
import type { Failure } from "./outcome-table.ts";
import type { ExplainOutcome } from "./send-with-retries.ts";

const maxIssues = 20;

interface Description {
  readonly words: string;
  readonly reason?: string;
  readonly issues?: readonly FieldIssue[] | undefined;
  readonly hint?: string;
  readonly cause?: Error;
}

export const explainOutcome: ExplainOutcome = (
  outcome,
  { name, purpose, attemptLog: { firstUncertain } },
  code,
  { redact, apiKey, baseUrl },
  failureCode,
) => {
  const { response } = outcome;
  const { status = 0 } = response ?? {};
  const { requestedDelay: delay } = response ?? outcome;
  const { words, reason, ...rest } = response
    ? describeErrorResponse(response, redact)
    : describeNoResponse(outcome, redact, failureCode);
  // The response of a gateway that refuses a size is often lost.
  const megabytes =
    response || (!isPage && reason) ? 0 : Math.ceil((outcome.brokenUpload ?? 0) / 1e5) / 10;
  const end = megabytes
    ? ` while it sent ${megabytes} MB, perhaps above the limit of a gateway.`
    : `${!isPage && reason ? `: ${reason}` : ""}.`;
  const hint = (): string | undefined => {
    // The store of the images has another URL than the service.
    if (!purpose) return "The image store failed: download it again later, which is free.";
    if (rest.hint) return rest.hint;
    if (megabytes) return hints.payload_too_large;
    if (purpose === "purchase" && firstUncertain && status !== 409) {
      return "The purchase may have been paid: repeat it with the same token, which pays once.";
    }
    if (delay && (!response || status === 429)) return `Wait ${Math.ceil(delay / 1_000)} s.`;
    if (status !== 404 || /job_/.test(name)) return hints[code];
    return `Check baseUrl (TRYON_BASE_URL), to which the client adds /api/v1${baseUrl.endsWith("/api") ? ": remove its /api" : ""}.`;
  };
  const isElsewhere = response && outcome.isElsewhere;
  // A client of a proxy has no key and another option for the URL.
  const nameOption = (text = ""): string =>
    apiKey ? text : text.replace(/baseUrl( \(\w+\))?/, "proxyUrl");
  return {
    ...rest,
    text: `${isElsewhere ? nameOption("baseUrl does not lead to the service: ") : ""}${name} ${words}${end}`,
    end,
    hint: nameOption(hint()),
  };
};

function describeNoResponse(
  { failure, cause, origin, isBlocked }: Failure,
  redact: Redact,
  failureCode: string | undefined,
): Description {
  if (failure === "rate_limited") {
    return { words: "was not sent: the rate limit is exhausted" };
  }
  // Only the message: errors of `fetch` can contain the request with its key.
  const { message = cause, hint } = Object(cause) as { message?: unknown; hint?: unknown };
  const code = redact(failureCode) || failure;
  const described = {
    words: `got no response from ${origin} (${code})`,
    cause: Object.assign(new Error(redact(message)), { code }),
    // The transport of Node adds it.
    ...(hint !== undefined && { hint: redact(hint) }),
  };
  // Errors of browsers say nothing more, and a code says enough.
  if (isPage || (failureCode && !isBlocked)) return described;
  const reason = redact(reasonOf(cause)).replace(/[\s.]+$/, "");
  if (!isBlocked) return { ...described, reason };
  return {
    words: "was not sent",
    reason,
    cause: Object.assign(new Error(reason), { code }),
    hint:
      code === "ERR_ACCESS_DENIED"
        ? "Start Node with --allow-net."
        : "Mock this request, or check baseUrl (TRYON_BASE_URL).",
  };
}

/** Returns the message of the innermost cause, without the request that some mocks print. */
function reasonOf(error: unknown, depth = 9): string {
  const { message, cause } = Object(error) as { message?: unknown; cause?: unknown };
  if (cause && depth > 0) return reasonOf(cause, depth - 1);
  return typeof message === "string" ? message.replace(/[\s'"]*\{[^]*/, "") : "";
}

function describeErrorResponse(
  { status, content, text, headers, redirect }: HttpResponse,
  redact: Redact,
): Description {
  if (redirect) {
    const location = redact(headers.get("location")) || "another URL";
    return { words: `was redirected to ${location}` };
  }
  const { detail } = Object(content) as { detail?: unknown };
  const issues = readFieldIssues(detail, redact);
  const isHtml = /^\s*</.test(text);
  const shown = isHtml ? (/<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? text) : text;
  const reason = issues
    ? issues.map(({ field, message }) => `${field}: ${message}`).join("; ")
    : redact(
        typeof detail === "string"
          ? detail
          : shown.slice(0, 4_000).replaceAll(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/gi, " "),
      );
  const sender = isHtml ? "a page answered, not the service: " : "";
  return {
    words: `returned ${status}: ${sender}${reason.slice(0, 500).replace(/[\s.]+$/, "") || "no error message"}`,
    issues,
    ...(isHtml &&
      status < 500 &&
      status !== 413 && { hint: "Check baseUrl and proxies in between." }),
  };
}

/** Returns the problems that a 422 lists, or undefined if it lists none. Leaves `input` out, which can be a whole image. */
export function readFieldIssues(
  detail: unknown,
  redact: Redact,
): readonly FieldIssue[] | undefined {
  if (!Array.isArray(detail) || detail.length === 0) return undefined;
  return detail.slice(0, maxIssues).map((entry: unknown) => {
    const { loc, msg, type }: { loc?: unknown; msg?: unknown; type?: unknown } = Object(entry);
    const path: readonly unknown[] = Array.isArray(loc) ? loc : [];
    const names = path.filter((part) => typeof part !== "object");
    // The part of the request is not part of the name.
    if (names.length > 1 && /^(body|query|path|header)$/.test(String(names[0]))) names.shift();
    const kind = redact(type);
    return {
      field: redact(names.join(".")),
      message: redact(msg) || "is not valid",
      ...(kind && { type: kind }),
    };
  });
}
