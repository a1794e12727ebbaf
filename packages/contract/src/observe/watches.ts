import { markerOf } from "../record/exchange.ts";
import { isEnd } from "../submission.ts";
import { requestProblems } from "../wire/document.ts";
import { elementsOf, fieldsOf } from "../wire/response.ts";
import { rebuilt } from "./rebuilt.ts";
import { maxBodyBytes } from "../schema-checks.ts";
import { gatewayOf } from "../wire/gateway.ts";
import {
  lengthOf,
  listOperation,
  pollOperation,
  submitOperation,
  type Memory,
  type Seen,
  type SeenSubmission,
  type Watch,
} from "./seen.ts";

/** Numbers from here on are a Unix time in seconds, and not a duration. */
const minEpoch = 1_000_000;

/** Time within which a read misses a new job at a deployment with replicas, in milliseconds. */
const readLag = 800;

const packs = /^(?:demo|starter|pro|scale|enterprise)$/;

/**
 * Evidence of each open point in recorded traffic, by the option of the reference server. Points that are not here cannot
 * be seen from outside, or not without contents that are not recorded.
 */
export const watches: Readonly<Record<string, Watch>> = {
  checkOrder: (seen) => {
    if (!isSubmit(seen) || seen.key !== null || !isInvalidJson(seen)) return undefined;
    return seen.status === 401 ? ["auth-first"] : refusal(seen) && ["body-first"];
  },
  malformedBody: (seen) => {
    const isKnown = isSubmit(seen) && seen.key !== null && isInvalidJson(seen);
    return isKnown && sentType(seen) === "application/json" ? refusal(seen) : undefined;
  },
  fieldStatus: (seen) => {
    if (!isSubmit(seen) || sentType(seen) !== "application/json" || !isObject(seen))
      return undefined;
    // A list of problems is only of fields. A text can be of images, so the request has to break its schema.
    if (seen.status === 422 && Array.isArray(seen.got["detail"])) return [422];
    const isField = seen.status === 400 && requestProblems(rebuilt(seen.sent)).length > 0;
    return isField ? [400] : undefined;
  },
  wrongContentType: (seen) => {
    const type = sentType(seen);
    if (!isSubmit(seen) || type === "" || /json/.test(type)) return undefined;
    return seen.status === 415 ? [415] : refusal(seen) && [422];
  },
  echoInput: (seen) => {
    if (seen.status !== 422) return undefined;
    for (const problem of elementsOf(seen.got["detail"]).map(fieldsOf)) {
      const [part, ...path] = elementsOf(problem["loc"]);
      let sent: unknown = part === "body" ? seen.sent : undefined;
      for (const name of path) sent = Object(sent)[String(name)];
      const [length = 0, echoed] = [lengthOf(sent), lengthOf(problem["input"])];
      // Texts of this length are cut, and recorded lengths differ by less than 3.
      if (length > 80 && echoed !== undefined) return echoed < length - 3 ? ["cut"] : ["full"];
    }
    return undefined;
  },
  oversize: ({ operation, status, isHtml, exchange, headers }) => {
    if (operation !== submitOperation || exchange.request.bytes <= maxBodyBytes) return undefined;
    const isFromGateway = gatewayOf({ headers: { get: (name) => headers[name] ?? null } });
    return status === 413 && isHtml && isFromGateway === undefined
      ? [413]
      : status === 400
        ? [400]
        : undefined;
  },
  jsonTypes: (seen) => {
    const texts = ["wait", "seed"].filter((name) => lengthOf(seen.sent[name]) !== undefined);
    if (!isSubmit(seen) || texts.length === 0) return undefined;
    if (seen.status === 200) return ["lax"];
    const isRefused = elementsOf(seen.got["detail"])
      .map(fieldsOf)
      .some(
        ({ loc, type }) =>
          texts.includes(String(elementsOf(loc)[1])) && String(type).endsWith("_type"),
      );
    return isRefused ? ["strict"] : undefined;
  },
  unknownCursor: (seen, memory) => {
    const cursor = seen.query.get("cursor");
    if (seen.operation !== listOperation || cursor === null) return undefined;
    const limit = seen.query.get("limit");
    if (memory.cursors.has(cursor) || (limit !== null && !isBetween(limit, 1, 50)))
      return undefined;
    const others = [...seen.query.keys()].filter((name) => name !== "cursor" && name !== "limit");
    if (others.length > 0) return undefined;
    if (seen.status !== 200) return refusal(seen);
    return elementsOf(seen.got["jobs"]).length === 0 ? ["empty"] : undefined;
  },
  limitBounds: (seen) => {
    const limit = seen.query.get("limit");
    const isOut = limit !== null && /^\d{1,9}$/.test(limit) && !isBetween(limit, 1, 100);
    if (seen.operation !== listOperation || !isOut) return undefined;
    return seen.status === 200 ? ["clamp"] : refusal(seen) && ["refuse"];
  },
  maxLimit: (seen) => {
    const limit = seen.query.get("limit");
    if (seen.operation !== listOperation || limit === null || !isBetween(limit, 51, 100))
      return undefined;
    if (seen.query.get("cursor") !== null && seen.status !== 200) return undefined;
    if (seen.status !== 200) return refusal(seen) && [50];
    const count = elementsOf(seen.got["jobs"]).length;
    if (count > 50) return [100];
    return count === 50 && seen.got["next_cursor"] !== null ? [50] : undefined;
  },
  replayHeader: (seen, memory) => {
    if (!isReplay(seen, memory)) return undefined;
    return [seen.headers["idempotent-replayed"] === "true"];
  },
  replayBody: (seen, memory) => {
    const first = isReplay(seen, memory) ? memory.first(seen) : undefined;
    const { ended } = memory.job(seen) ?? {};
    if (first === undefined || isEnd(first.jobStatus)) return undefined;
    if (isEnd(seen.got["status"])) return ["current"];
    return ended && ended.at <= seen.sentAt ? ["first"] : undefined;
  },
  concurrentTwin: (seen, memory) => {
    const first = isSubmit(seen) ? memory.first(seen) : undefined;
    // Both were on their way at once, or this one ended first.
    if (first?.body !== JSON.stringify(seen.sent)) return undefined;
    const [isEarlier, isLater] = [first.sentAt < seen.sentAt, first.sentAt > seen.sentAt];
    if (first.status === 409 && isLater && first.answeredAt < seen.answeredAt) return [409];
    if (seen.status === 409 && isEarlier && seen.answeredAt < first.answeredAt) return [409];
    // Either can end first. A stored response comes at once, and a joined request waits for the job.
    const lastSentAt = Math.max(first.sentAt, seen.sentAt);
    const hasWaited = lastSentAt < Math.min(first.answeredAt, seen.answeredAt) - 1_000;
    return hasWaited && isSameJob(seen, first) ? ["join"] : undefined;
  },
  refusedKey: (seen, memory) => {
    const first = isSubmit(seen) ? memory.first(seen) : undefined;
    if (first?.status !== 402) return undefined;
    if (seen.status === 409 && first.body !== JSON.stringify(seen.sent)) return ["kept"];
    return seen.status === 200 ? ["free"] : undefined;
  },
  rateHeaders: (seen) => {
    const isKeyed = seen.operation?.includes("/api/v1/") && !seen.operation.includes("openapi");
    if (!isKeyed || ![200, 429].includes(seen.status) || seen.isHtml) return undefined;
    const hasHeaders = seen.headers["x-ratelimit-limit"] !== undefined;
    if (seen.status === 200) return hasHeaders ? ["all"] : ["429-only", "none"];
    return hasHeaders ? ["all", "429-only"] : ["none"];
  },
  resetUnit: ({ headers }) => {
    const reset = headers["x-ratelimit-reset"] ?? "";
    if (!/^\d+$/.test(reset)) return undefined;
    return Number(reset) > minEpoch ? ["epoch"] : ["delta"];
  },
  retryAfterFormat: ({ status, headers }) => {
    const after = headers["retry-after"] ?? "";
    if (status !== 429 || after === "") return undefined;
    if (/^\d+$/.test(after)) return ["seconds"];
    return Number.isNaN(Date.parse(after)) ? undefined : ["date"];
  },
  reportQueued: (seen) =>
    [seen.got, ...elementsOf(seen.got["jobs"]).map(fieldsOf)].some(
      ({ status }) => status === "queued",
    )
      ? [true]
      : undefined,
  syncCut: (seen) => {
    if (!isSubmit(seen)) return undefined;
    if (seen.status === 504 && seen.isHtml) return [30];
    return seen.status === 200 && seen.answeredAt - seen.sentAt > 40_000 ? ["off"] : undefined;
  },
  readLag: (seen, memory) => {
    const { submittedAt, key } = memory.job(seen) ?? {};
    if (seen.operation !== pollOperation || submittedAt === undefined || key !== seen.key)
      return undefined;
    if (seen.status === 404) return [readLag];
    return seen.status === 200 && seen.answeredAt - submittedAt < readLag - 50 ? [0] : undefined;
  },
  sparseSubmit: (seen) =>
    isSubmit(seen) && seen.status === 200 && "job_id" in seen.got
      ? [!("test_mode" in seen.got)]
      : undefined,
  inventSeed: (seen, memory) => {
    const hasSeed = isSubmit(seen) ? sentSeed(seen) : memory.job(seen)?.hasSeed;
    const isJob = isSubmit(seen) || seen.operation === pollOperation;
    const { seed } = seen.got;
    if (!isJob || seen.status !== 200 || hasSeed !== false || seed === undefined) return undefined;
    return [seed !== null];
  },
  timeFormat: ({ got }) => {
    const times = [got, ...elementsOf(got["jobs"]).map(fieldsOf)];
    for (const { completed_at, created_at } of times) {
      const time = completed_at ?? created_at;
      if (typeof time !== "string" || !time.includes("T")) continue;
      if (time.endsWith("Z")) return ["Z"];
      return /[+-]\d\d:\d\d$/.test(time) ? ["offset"] : ["naive"];
    }
    return undefined;
  },
  resultsOrigin: ({ got, exchange }) => {
    const marker = markerOf(got["result_url"]);
    if (marker?.kind !== "url" || exchange.origin === undefined) return undefined;
    return marker.origin === exchange.origin ? ["same"] : ["other"];
  },
  slashRedirect: ({ pathname, status, exchange }) => {
    if (!/^\/api\/v1\/(?:account|tryon)\/$/.test(pathname) || exchange.method !== "GET")
      return undefined;
    return status === 307 ? [true] : status === 404 ? [false] : undefined;
  },
  foreignJob: (seen, memory) => {
    const { key = null, submittedAt = Infinity } = memory.job(seen) ?? {};
    const isForeign = seen.operation === pollOperation && key !== null && seen.key !== null;
    // A read of another key that misses a new job says nothing.
    if (!isForeign || key === seen.key || seen.sentAt - submittedAt < 2 * readLag) return undefined;
    return seen.status === 404 || seen.status === 403 ? [seen.status] : undefined;
  },
  unknownPack: (seen) => {
    const { pack_slug: slug, shared_payment_granted_token: token } = seen.sent;
    const isUnknown = isPurchase(seen) && typeof slug === "string" && !packs.test(slug);
    return isUnknown && (lengthOf(token) ?? 0) > 0 ? refusal(seen) : undefined;
  },
  testKeyCredits: (seen) => {
    const isTest = isPurchase(seen) && seen.key?.startsWith("test-");
    const { credits_added: added, status } = seen.got;
    if (!isTest || seen.status !== 200 || status !== "succeeded") return undefined;
    return added === 0 ? [0] : ["pack"];
  },
  discoveryKey: (seen) => {
    if (seen.operation !== "GET /api/discovery" || seen.key !== null) return undefined;
    if (seen.status === 200) return [false];
    return seen.status === 401 || seen.status === 403 ? [true] : undefined;
  },
  errorCodes: ({ got }) => {
    const { status, error_code: code, error_message: message } = got;
    if (status !== "failed" || typeof code !== "string" || message === "content_blocked")
      return undefined;
    return code === "generation_failed" ? ["generation_failed"] : ["cause"];
  },
};

function isSubmit({ operation }: Seen): boolean {
  return operation === submitOperation;
}

function isPurchase({ operation }: Seen): boolean {
  return operation === "POST /api/v1/credits/purchase";
}

function isInvalidJson({ exchange: { request } }: Seen): boolean {
  return markerOf(request.body)?.kind === "invalid-json";
}

function isObject({ exchange: { request } }: Seen): boolean {
  return markerOf(request.body) === undefined && fieldsOf(request.body) === request.body;
}

function sentType({ requestHeaders }: Seen): string {
  return (requestHeaders["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

function sentSeed({ sent }: Seen): boolean {
  return sent["seed"] !== undefined && sent["seed"] !== null;
}

/** Returns the status of a refused request with 400 or 422. */
function refusal({ status }: Seen): readonly number[] | undefined {
  return status === 400 || status === 422 ? [status] : undefined;
}

function isBetween(text: string, min: number, max: number): boolean {
  return /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max;
}

/** If true, a submission repeats an earlier one, and its response has the same job. */
function isReplay(seen: Seen, memory: Memory): boolean {
  const first = isSubmit(seen) ? memory.first(seen) : undefined;
  return first !== undefined && first.sentAt < seen.sentAt && isSameJob(seen, first);
}

function isSameJob({ status, sent, got }: Seen, first: SeenSubmission): boolean {
  const areAccepted = status === 200 && first.status === 200;
  return areAccepted && first.body === JSON.stringify(sent) && first.jobId === got["job_id"];
}
