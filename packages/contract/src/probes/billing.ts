import { isDeepStrictEqual } from "node:util";

import { probeGroup, type Probe } from "../check.ts";
import { requestsIn } from "../checks/billing/account.ts";
import { balanceChange } from "../checks/billing/balance.ts";
import { failedJob } from "../checks/billing/credits.ts";
import { submitFirst } from "../checks/billing/idempotency.ts";
import { buy, buyWithNewKey, payment } from "../checks/billing/purchases.ts";
import { refusedRequest } from "../checks/billing/rate-limit.ts";
import { startWithHook, waitForDeliveries } from "../checks/webhooks/deliveries.ts";
import { noPerson, unreachable } from "../checks/requests/check-rows.ts";
import { breaksSchema, type Memory, type SeenSubmission } from "../seen/memory.ts";
import { isPack, isPurchase, isSubmit, lengthOf, refusal, type Seen } from "../seen/seen.ts";
import { need } from "../outcome.ts";
import { markerOf } from "../record/exchange.ts";
import { settling } from "../session/time.ts";
import { isEnd, jobIdOf } from "../submission.ts";
import { packs } from "../wire/document.ts";
import { fieldsOf } from "../wire/response.ts";
import { ifShown } from "./requests.ts";

/** Numbers from here on are a Unix time in seconds, and not a duration. */
const minEpoch = 1_000_000;

export const billingProbes = probeGroup(0, {
  replayHeader: {
    credits: 16,
    async provoke(session) {
      const { options } = await submitFirst(session);
      await session.http.submit({}, options);
    },
    judge(seen, memory) {
      if (replayed(seen, memory) === undefined) return undefined;
      return [seen.headers["idempotent-replayed"] === "true"];
    },
    explains: { headers: /^idempotent-replayed$/ },
  },
  replayBody: {
    credits: 16,
    async provoke(session) {
      const { first, options } = await submitFirst(session);
      await session.http.waitForEnd(jobIdOf(first));
      await session.http.submit({}, options);
    },
    judge(seen, memory) {
      const first = replayed(seen, memory);
      const { ended } = memory.job(seen) ?? {};
      if (first === undefined || isEnd(first.jobStatus)) return undefined;
      if (isEnd(seen.got["status"])) return ["current"];
      return ended && ended.at <= seen.sentAt ? ["first"] : undefined;
    },
    explains: { end: true },
  },
  refusedKey: {
    credits: 16,
    async provoke({ http, keys }) {
      await keys.useNew({ credits: 0 });
      const options = { idempotencyKey: http.unique() };
      // Without credits, or with an image that cannot be fetched.
      const fields = keys.hasControl ? {} : { ...noPerson, person_url: unreachable };
      await http.submit(fields, options);
      await http.submit({ ...fields, seed: 2 }, options);
    },
    judge(seen, memory) {
      const first = isSubmit(seen) ? memory.first(seen) : undefined;
      const isSame = isDeepStrictEqual(first?.sent, seen.sent);
      if (first === undefined || !isRefusedLate(first) || first.answeredAt > seen.sentAt)
        return undefined;
      if (seen.status === 409 && !isSame) return ["kept"];
      const isAgain = seen.status === first.status && !isSame && isRefusedLate(seen);
      return seen.status === 200 || isAgain ? ["free"] : undefined;
    },
    explains: { status: ifShown },
  },
  concurrentTwin: {
    credits: 16,
    async provoke({ http, keys, time }) {
      const idempotencyKey = http.unique();
      await keys.slowNextJob(8_000);
      const send = () => http.submit({ wait: true }, { idempotencyKey });
      const first = send();
      const isOver = settling(first);
      await time.waitForRequests(idempotencyKey, 1);
      // A second request after the first response would get a replay.
      if (isOver()) return first;
      const second = send();
      await Promise.race([second, time.waitForRequests(idempotencyKey, 2)]);
      return time.passUntilSettled(Promise.all([first, second]), idempotencyKey);
    },
    judge(seen, memory) {
      const first = isSubmit(seen) ? memory.first(seen) : undefined;
      if (first === undefined || !isDeepStrictEqual(first.sent, seen.sent)) return undefined;
      // For this time, both were on their way at once. Either can end first.
      const bothSentAt = Math.max(first.sentAt, seen.sentAt);
      const overlap = Math.min(first.answeredAt, seen.answeredAt) - bothSentAt;
      const statuses = new Set([first.status, seen.status]);
      if (overlap >= 0 && statuses.has(409) && statuses.has(200)) return [409];
      // A stored response comes at once, and a joined request waits for the job.
      return overlap > 1_000 && isSameJob(seen, first) ? ["join"] : undefined;
    },
    explains: { status: ifShown },
  },
  refund: {
    level: "paid",
    async provoke(session) {
      for (const failure of ["model_rejected", "storage_failed", "content_blocked"] as const) {
        session.keys.own = await session.keys.make({ credits: 50 });
        await balanceChange(session, () => failedJob(session, failure));
      }
    },
    judge: (seen, { balances }) => balances.evidence(seen),
  },
  purchaseRepeat: {
    async provoke(session) {
      await session.keys.useNew();
      // Without the control API a payment with a live key is a real one.
      const isReal = !session.keys.hasControl && session.keys.own.kind === "live";
      need(!isReal, "It takes a test key.");
      const order = payment(session);
      const first = await buy(session, order);
      const repeated = await buy(session, order);
      if (first.status !== 200) return undefined;
      if (repeated.status === 409) return 409;
      const [before, after] = [first, repeated].map(
        ({ json }) => fieldsOf(json)["payment_intent_id"],
      );
      // A deployment may not record purchases with a test key.
      return repeated.status === 200 && before === after ? "replay" : undefined;
    },
  },
  repeatCredits: {
    async provoke(session) {
      const { order, response } = await buyWithNewKey(session);
      const repeated = await buy(session, order);
      if (repeated.status !== 200) return undefined;
      const [first, added] = [response, repeated].map(
        ({ json }) => fieldsOf(json)["credits_added"],
      );
      return added === 0 ? 0 : added === first ? "pack" : undefined;
    },
  },
  testKeyCredits: {
    on: "test",
    provoke: (session) => buy(session, { pack_slug: "pro" }),
    judge(seen) {
      const isTest = isPurchase(seen) && seen.key?.startsWith("test-");
      const { credits_added: added, status } = seen.got;
      const { pack_slug: slug } = seen.sent;
      if (!isTest || seen.status !== 200 || status !== "succeeded" || !isPack(slug))
        return undefined;
      if (added === 0) return [0];
      return added === packs[slug].credits ? ["pack"] : undefined;
    },
  },
  unknownPack: {
    async provoke(session) {
      await buy(session, { shared_payment_granted_token: undefined });
      await buy(session, { pack_slug: "no-such-pack" });
    },
    judge(seen, memory) {
      const { pack_slug: slug, shared_payment_granted_token: token } = seen.sent;
      const isUnknown = isPurchase(seen) && typeof slug === "string" && !isPack(slug);
      if (!isUnknown || (lengthOf(token) ?? 0) === 0) return undefined;
      // The pack can be refused as a field, if fields get 400.
      if (seen.status === 400 && memory.fieldStatus !== 422) return undefined;
      return refusal(seen);
    },
    explains: { status: ifShown },
  },
  totalCalls: {
    async provoke({ http, keys }) {
      await keys.useNew();
      const before = requestsIn(await http.account());
      await http.poll(http.unknownJobId());
      const counted = requestsIn(await http.account()) - before;
      return counted === 2 ? "admitted" : counted === 1 ? "accepted" : undefined;
    },
  },
  rateWindow: {
    async provoke({ http, keys, time }) {
      need(time.virtual, "It takes minutes without a virtual clock.");
      keys.own = await keys.make({ rate_limit_per_min: 3 });
      const send = () => http.account({ return429: true });
      await time.pass(60_000 - (time.now() % 60_000) + 500);
      await send();
      await time.pass(40_000);
      await send();
      await send();
      // A fixed window of the first request is over, and a sliding one has the other two.
      await time.pass(25_000);
      const [third, fourth] = [await send(), await send()];
      if (third.status === 429) return undefined;
      return fourth.status === 429 ? "sliding" : "fixed";
    },
  },
  rateHeaders: {
    rules: ["errors.429.which-headers", "errors.429.rate-limit-headers"],
    async provoke(session) {
      await session.http.account();
      await refusedRequest(session);
    },
    judge(seen) {
      const isKeyed = seen.operation?.includes("/api/v1/") && !seen.operation.includes("openapi");
      if (!isKeyed || ![200, 429].includes(seen.status) || seen.isHtml) return undefined;
      const hasHeaders = Object.keys(seen.headers).some((name) => name.startsWith("x-ratelimit-"));
      if (seen.status === 200) return hasHeaders ? ["all"] : ["429-only", "none"];
      return hasHeaders ? ["all", "429-only"] : ["none"];
    },
    explains: {
      headers: /^x-ratelimit-/,
      deviation: [
        "429 without X-RateLimit-*",
        ({ status }, problem) => status === 429 && problem.includes("header x-ratelimit"),
      ],
    },
  },
  resetUnit: {
    async provoke(session) {
      await session.http.account();
      await refusedRequest(session);
    },
    judge({ headers }) {
      const reset = headers["x-ratelimit-reset"] ?? "";
      if (!/^\d+$/.test(reset)) return undefined;
      return Number(reset) > minEpoch ? ["epoch"] : ["delta"];
    },
  },
  retryAfterFormat: {
    provoke: refusedRequest,
    judge({ status, headers }) {
      const after = headers["retry-after"] ?? "";
      if (status !== 429 || after === "") return undefined;
      if (/^\d+$/.test(after)) return ["seconds"];
      return Number.isNaN(Date.parse(after)) ? undefined : ["date"];
    },
  },
});

export const webhookProbes: readonly Probe[] = probeGroup(8, {
  webhookBody: {
    async provoke(session) {
      const hook = session.http.openHook((attempt) => ({ status: attempt === 1 ? 500 : 200 }));
      await session.http.waitForEnd(await startWithHook(session, hook));
      const [first, second] = await waitForDeliveries(session, hook, { count: 2 });
      if (first === undefined || second === undefined) return undefined;
      return first.text === second.text ? "same" : "resigned";
    },
  },
});

/** Returns the first submission if another repeats it and gets the same job. */
function replayed(seen: Seen, memory: Memory): SeenSubmission | undefined {
  const first = isSubmit(seen) ? memory.first(seen) : undefined;
  return first !== undefined && first.sentAt < seen.sentAt && isSameJob(seen, first)
    ? first
    : undefined;
}

function isSameJob({ status, sent, got }: Seen, first: SeenSubmission): boolean {
  const areAccepted = status === 200 && first.status === 200;
  return areAccepted && isDeepStrictEqual(first.sent, sent) && first.jobId === got["job_id"];
}

/** If true, a submission was refused for its credits, or for an image that was to be fetched. Others leave each key free. */
function isRefusedLate({ status, sent }: Pick<Seen, "status" | "sent">): boolean {
  return (
    status === 402 ||
    (status === 400 && markerOf(sent["person_url"]) !== undefined && !breaksSchema(sent))
  );
}
