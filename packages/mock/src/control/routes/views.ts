import type { DeliveryRecord, LedgerEntry } from "../../store/records.ts";
import { milliseconds } from "../../system/duration.ts";
import { curlCommand } from "../curl.ts";
import type { Exchange } from "../exchange.ts";
import type { Fault } from "../fault.ts";
import type { JournalEntry } from "../journal-entry.ts";
import { snakeCase } from "./snake-case.ts";

// Records as snake_case JSON. Times are milliseconds since 1970 on the server's clock.

export function faultView({ id, latency, cutAfter, ...fault }: Fault) {
  return {
    fault_id: id,
    ...snakeCase(fault),
    latency_ms: latencyView(latency),
    cut_after_ms: cutAfter === undefined ? undefined : milliseconds(cutAfter),
  };
}

function latencyView(latency: Fault["latency"]) {
  if (latency === undefined) return undefined;
  if (typeof latency !== "object") return milliseconds(latency);
  return { median: milliseconds(latency.median), p95: milliseconds(latency.p95) };
}

export function journalEntryView({ id, ...entry }: JournalEntry) {
  return { request_id: id, ...snakeCase(entry) };
}

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
  const { keyId: _, ...change } = entry;
  return snakeCase(change);
}

export function deliveryView({ id, attempts, ...delivery }: DeliveryRecord) {
  return {
    delivery_id: id,
    ...snakeCase(delivery),
    attempts: attempts.map(({ at, status, durationMs, error }) => ({
      at,
      status,
      ms: durationMs,
      ...(error !== null && { error }),
    })),
  };
}
