import type { EventFields } from "../verification/event.ts";
import { anything, readOptions } from "@tryon/shared/options";
import { bytesOf, type RawBody } from "../verification/body.ts";
import { sign } from "./sign.ts";

/** Event of a kind that this version does not support, with any fields. */
export interface OtherEvent {
  /** Kind of the event, also sent as `X-Service-Event`. */
  readonly event: string;
  /** Id of a job, also sent as `X-Service-Job-Id`. */
  readonly job_id?: string | undefined;
  readonly [field: string]: unknown;
}

/** Options of {@link signedRequest}. */
export interface SignedRequestOptions {
  /** Webhook secret with its `whsec_` prefix. */
  readonly secret: string;

  /**
   * URL of the request.
   *
   * @default "http://localhost/"
   */
  readonly url?: string | URL | undefined;

  /**
   * Additional headers, which replace those of the service. `null` removes a header.
   *
   * @default none
   */
  readonly headers?: Readonly<Record<string, string | null>> | undefined;
}

/**
 * Creates a signed request like the one that the service sends when a job has ended, for tests of
 * receivers. Missing fields are those of a job that has just succeeded, or failed if `status` is
 * `failed`. An event of another kind, and a body of text or bytes, is sent unchanged.
 *
 * @throws {@link WebhookError} `invalid_secret` for a blank secret, `TypeError` for an unknown option.
 * @example
 * import { signedRequest } from "@tryon/webhooks";
 *
 * const response = await POST(await signedRequest({ status: "failed" }, { secret: "whsec_test" }));
 * expect(response.status).toBe(204);
 */
export async function signedRequest(
  event: Partial<EventFields> | OtherEvent | RawBody,
  options: SignedRequestOptions,
): Promise<Request> {
  const {
    secret,
    url,
    headers: more,
  } = readOptions("an option of signedRequest", options, {
    secret: anything<string>(),
    url: { ...anything<string | URL>(), fallback: "http://localhost/" },
    headers: anything<Readonly<Record<string, string | null>>>(),
  });
  const raw = bytesOf(event);
  // Other values than text and bytes are events.
  const fields = raw === undefined ? fieldsOf(event as Fields) : readFields(raw);
  const body = raw?.slice() ?? new TextEncoder().encode(JSON.stringify(fields));
  // `sign` rejects a missing secret.
  const headers = new Headers({
    "content-type": "application/json",
    "user-agent": "TryOn-Webhooks/1.0",
    "x-service-signature": await sign({ body, secret: secret as string }),
  });
  if (isHeaderText(fields["event"])) headers.set("x-service-event", fields["event"]);
  if (isHeaderText(fields["job_id"])) headers.set("x-service-job-id", fields["job_id"]);
  for (const [name, value] of Object.entries(more ?? {})) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  return new Request(url, { method: "POST", headers, body });
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(event: Fields): Fields {
  const { event: kind = "tryon.completed" } = event;
  if (kind !== "tryon.completed") return event;
  const failed = event["status"] === "failed";
  const id = crypto.randomUUID().replaceAll("-", "").slice(0, 24);
  const order: Fields = {
    event: kind,
    job_id: `job_${id}`,
    status: "succeeded",
    result_url: failed ? null : `https://results.example/${id}.png`,
    error_code: failed ? "generation_failed" : null,
    error_message: failed ? "content_blocked" : null,
    duration_ms: 1_500,
    completed_at: new Date().toISOString().replace(/\.\d+/, ""),
  };
  const given = Object.entries(event).filter(([, value]) => value !== undefined);
  return { ...order, ...Object.fromEntries(given) };
}

function readFields(bytes: Uint8Array): Fields {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === "object" ? { ...value } : {};
  } catch {
    return {};
  }
}

function isHeaderText(value: unknown): value is string {
  return typeof value === "string" && /^[!-~]+$/.test(value);
}
