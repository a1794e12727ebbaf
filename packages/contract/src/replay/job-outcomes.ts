import { submissionName } from "../seen/memory.ts";
import { submitOperation, type Seen } from "../seen/seen.ts";
import { isEnd } from "../submission.ts";
import type { Exchange } from "../record/exchange.ts";
import { elementsOf, fieldsOf, type Fields } from "../wire/response.ts";

export interface Recording {
  readonly exchange: Exchange;
  readonly place: string;
  /** Undefined without a complete response. */
  readonly seen: Seen | undefined;
}

const outcomes = /^(?:content_blocked|model_rejected|storage_failed)$/;

/**
 * Returns the outcome of the job that each submission made, as the control API of a reference server takes it, by the
 * exchange that made the job.
 */
export function jobOutcomes(recordings: readonly Recording[]): ReadonlyMap<Exchange, Fields> {
  const ends = new Map<string, { readonly fields: Fields; readonly at: number }>();
  const jobOfKey = new Map<string, string>();
  for (const { seen, exchange } of recordings) {
    if (seen === undefined) continue;
    const { got, answeredAt } = seen;
    for (const job of [got, ...elementsOf(got["jobs"]).map(fieldsOf)]) {
      const id = String(job["job_id"]);
      const known = ends.get(id);
      const isBetter = known === undefined || known.fields["duration_ms"] === undefined;
      if (isEnd(job["status"]) && isBetter) {
        ends.set(id, { fields: job, at: known?.at ?? answeredAt });
      }
    }
    const key = submissionName(exchange);
    if (key !== undefined && typeof got["job_id"] === "string") jobOfKey.set(key, got["job_id"]);
  }
  const made = new Set<unknown>();
  const found = new Map<Exchange, Fields>();
  for (const { seen, exchange } of recordings) {
    const isSubmission = exchange.method === "POST" && exchange.path === "/api/v1/tryon";
    if (!isSubmission || (seen !== undefined && seen.operation !== submitOperation)) continue;
    // It made no job, and another submission under its key may have.
    if (seen?.status === 409) continue;
    const key = submissionName(exchange);
    // Without a response, or after that of a proxy, the job is unknown.
    const isUnknown = seen === undefined || seen.status === 504;
    const known = seen?.got["job_id"] ?? (key === undefined ? undefined : jobOfKey.get(key));
    const own = known ?? (isUnknown ? (key ?? exchange.at) : undefined);
    const isJob = typeof own === "string" || typeof own === "number";
    if (!isJob || made.has(own)) continue;
    made.add(own);
    const end = ends.get(String(own));
    found.set(exchange, end === undefined ? { outcome: "never" } : outcomeOf(end, exchange.at));
  }
  return found;
}

function outcomeOf(
  { fields, at }: { readonly fields: Fields; readonly at: number },
  submittedAt: number,
): Fields {
  const { status, error_message: message, duration_ms: duration } = fields;
  const duration_ms = typeof duration === "number" ? duration : Math.max(0, at - submittedAt - 50);
  if (status === "succeeded") return { outcome: "succeeded", duration_ms: Math.round(duration_ms) };
  const outcome = typeof message === "string" && outcomes.test(message) ? message : "failed";
  const text = outcome === "failed" && typeof message === "string" && { error_message: message };
  return { outcome, duration_ms: Math.round(duration_ms), ...text };
}
