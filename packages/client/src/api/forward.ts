import { InputError } from "../errors/input-error.ts";
import { AttemptLog } from "../http/attempt-log.ts";
import { within } from "../http/deadline.ts";
import { randomKey } from "../http/random-key.ts";
import type { HttpContext } from "../http/send-with-retries.ts";
import { sendToService } from "./api.ts";

const bodilessStatuses = new Set([204, 205, 304]);

/** Sends a request of the caller to the service. Returns responses of any status, but no redirect. */
export async function forward(http: HttpContext, request: Request): Promise<Response> {
  const { config } = http;
  const { method, url, signal } = request;
  if (!url.startsWith(`${config.baseUrl}/`)) {
    throw new InputError("baseUrl", "of a raw call is not the client's", {
      hint: "Make another client: the key goes nowhere else.",
    });
  }
  const isSubmission = method === "POST" && /\/tryon\/?$/.test(url);
  const headers = Object.fromEntries(request.headers);
  // A submission without a key would be a second, paid try-on when it is retried.
  if (isSubmission) headers["idempotency-key"] ||= randomKey();
  // Not every browser has `request.body`.
  const bytes = new Uint8Array(await request.arrayBuffer());
  const response = await within(config, { signal }, config.timeout, (deadline) =>
    sendToService(
      http,
      ({ redirect }) => !redirect,
      { method, url, headers, body: bytes.length > 0 ? bytes : undefined },
      {
        name: `${method} ${new URL(url).pathname}`,
        purpose: isSubmission ? "submit" : "read",
        attemptLog: new AttemptLog(),
        deadline,
      },
      isSubmission,
    ),
  );
  const { status, text } = response;
  return new Response(bodilessStatuses.has(status) ? null : text, {
    status,
    headers: response.headers,
  });
}
