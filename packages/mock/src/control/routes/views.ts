import type { DeliveryRecord, LedgerEntry } from "../../store/records.ts";
import { milliseconds } from "../../system/duration.ts";
import { curlCommand } from "../curl.ts";
import type { Exchange } from "../exchange.ts";
import type { Fault } from "../fault.ts";
import type { JournalEntry } from "../journal-entry.ts";

// Records as snake_case JSON. Times are milliseconds since 1970 on the server's clock.

export function faultView({ id, latency, cutAfter, ...fault }: Fault) {
  return {
    fault_id: id,
    on: fault.on,
    times: fault.times,
    probability: fault.probability,
    after: fault.after,
    status: fault.status,
    headers: fault.headers,
    body: fault.body,
    html: fault.html,
    retry_after: fault.retryAfter,
    latency_ms: latencyView(latency),
    reset: fault.reset,
    truncate_at: fault.truncateAt,
    cut_after_ms: cutAfter === undefined ? undefined : milliseconds(cutAfter),
    drop: fault.drop,
    matched: fault.matched,
    applied: fault.applied,
  };
}

function latencyView(latency: Fault["latency"]) {
  if (latency === undefined) return undefined;
  if (typeof latency !== "object") return milliseconds(latency);
  return { median: milliseconds(latency.median), p95: milliseconds(latency.p95) };
}

export function journalEntryView(entry: JournalEntry) {
  return {
    request_id: entry.id,
    at: entry.at,
    method: entry.method,
    path: entry.path,
    query: entry.query,
    api_key: entry.apiKey,
    idempotency_key: entry.idempotencyKey,
    status: entry.status,
    duration_ms: entry.durationMs,
    job_id: entry.jobId,
    replayed: entry.replayed,
    refusal: entry.refusal,
    fault_ids: entry.faultIds,
    submission: entry.submission,
  };
}

/** A request with its headers, bodies and the faults that nearly applied. */
export function exchangeView(entry: JournalEntry, exchange: Exchange) {
  return {
    ...journalEntryView(entry),
    request: exchange.request,
    response: exchange.response,
    near_faults: exchange.faultMisses.map(({ faultId, reason }) => ({ fault_id: faultId, reason })),
    curl: curlCommand(entry, exchange),
  };
}

export function ledgerEntryView(entry: LedgerEntry) {
  return {
    credits: entry.credits,
    cause: entry.cause,
    job_id: entry.jobId,
    payment_intent_id: entry.paymentIntentId,
    at: entry.at,
  };
}

export function deliveryView(delivery: DeliveryRecord) {
  return {
    delivery_id: delivery.id,
    job_id: delivery.jobId,
    url: delivery.url,
    cause: delivery.cause,
    repeats: delivery.repeats,
    state: delivery.state,
    body: delivery.body,
    signature: delivery.signature,
    attempts: delivery.attempts.map(({ at, status, durationMs, error }) => ({
      at,
      status,
      ms: durationMs,
      ...(error !== null && { error }),
    })),
  };
}
