import { sizeOf } from "../seen/memory.ts";
import { pollOperation, submitOperation } from "../seen/seen.ts";
import { isEnd } from "../submission.ts";
import { costs } from "../target/budget.ts";
import type { Control } from "../target/control.ts";
import type { Keys } from "../target/keys.ts";
import type { Fields } from "../wire/response.ts";
import type { Recording } from "./job-outcomes.ts";
import { NotCompared } from "./request-builder.ts";

/** More credits, and requests a minute, than a recording without such numbers uses. */
const plenty = 1_000_000;

const unknownToken = "svc_test_unknown_to_every_deployment";

export type ReplayKeys = ReadonlyMap<string, string>;

export function tokenOf(keys: ReplayKeys, alias: string | null): string | undefined {
  const token = keys.get(alias ?? "");
  if (alias === null || token !== undefined) return token;
  throw new NotCompared(`No ${alias.startsWith("test-") ? "test" : "live"} key for a recorded one`);
}

export async function createKeys(
  recordings: readonly Recording[],
  control: Control,
): Promise<ReplayKeys> {
  const tokens = new Map<string, string>();
  for (const [alias, own] of byKey(recordings)) {
    const status = onlyStatusOf(own);
    if (status === 401) {
      tokens.set(alias, unknownToken);
      continue;
    }
    const { token } = await control.makeKey("tenants", {
      mode: alias.startsWith("test-") ? "test" : "live",
      ...(!alias.startsWith("test-") && { credits: creditsOf(own) }),
      rate_limit_per_min: limitOf(own),
      ...(status === 403 && { state: "disabled" }),
    });
    tokens.set(alias, token);
  }
  return tokens;
}

export function assignKeys(recordings: readonly Recording[], given: Keys): ReplayKeys {
  const free = { live: [given.live, given.stranger], test: [given.test, given.stranger] };
  const tokens = new Map<string, string>();
  for (const [alias, own] of byKey(recordings)) {
    const status = onlyStatusOf(own);
    const kind = /^(?:test|live)/.exec(alias)?.[0];
    const candidates = kind === "live" || kind === "test" ? free[kind] : [given.test, given.live];
    let token: string | undefined;
    if (status === 401) token = unknownToken;
    else if (status === 403) token = given.disabled?.token;
    else {
      const index = candidates.findIndex((key) => key && (!kind || key.kind === kind));
      token = candidates.splice(index, index < 0 ? 0 : 1)[0]?.token;
    }
    if (token !== undefined) tokens.set(alias, token);
  }
  return tokens;
}

/** Returns the status that all responses to a key have, or undefined. A poll of another's job says nothing about a key. */
function onlyStatusOf(own: readonly Recording[]): number | undefined {
  const statuses = new Set(
    own.flatMap(({ seen }) =>
      seen === undefined || seen.operation === pollOperation ? [] : seen.status,
    ),
  );
  return statuses.size === 1 ? [...statuses][0] : undefined;
}

function byKey(recordings: readonly Recording[]): ReadonlyMap<string, readonly Recording[]> {
  const found = new Map<string, Recording[]>();
  for (const one of recordings) {
    const { key } = one.exchange;
    if (key !== null) found.set(key, [...(found.get(key) ?? []), one]);
  }
  return found;
}

function creditsOf(own: readonly Recording[]): number {
  const jobs = new Set<unknown>();
  let taken = 0;
  for (const { seen } of own) {
    if (seen?.status !== 200) continue;
    const { got, operation } = seen;
    const isNew = operation === submitOperation && !jobs.has(got["job_id"]);
    if (isNew) taken += costOf(got, sizeOf(seen.sent));
    if (operation === submitOperation) jobs.add(got["job_id"]);
    if (typeof got["credits_added"] === "number") taken -= got["credits_added"];
    // A job that has failed may have been refunded before the response.
    const isClear = !(isNew && isEnd(got["status"]) && got["status"] === "failed");
    const balance = got["credits_remaining"];
    if (typeof balance === "number" && isClear) return Math.max(0, balance + taken);
  }
  return own.some(({ seen }) => seen?.status === 402) ? taken : plenty;
}

function costOf({ cost_credits: cost }: Fields, size: string | undefined): number {
  return typeof cost === "number" ? cost : (costs[size ?? ""] ?? 0);
}

function limitOf(own: readonly Recording[]): number {
  for (const { seen } of own) {
    const limit = Number(seen?.headers["x-ratelimit-limit"] ?? seen?.got["rate_limit_per_min"]);
    if (limit > 0) return limit;
  }
  return plenty;
}
