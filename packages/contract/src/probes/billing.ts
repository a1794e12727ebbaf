import { probeGroup } from "../check.ts";
import { requestsIn } from "../checks/billing/account.ts";
import { balanceChange } from "../checks/billing/balance.ts";
import { failedJob, type Failure } from "../checks/billing/credits.ts";
import { submitFirst } from "../checks/billing/idempotency.ts";
import { buy, buyWithNewKey, packs, payment } from "../checks/billing/purchases.ts";
import { refusedRequest } from "../checks/billing/rate-limit.ts";
import { noPerson, unreachable } from "../checks/requests/check-rows.ts";
import { CheckFailure, need } from "../outcome.ts";
import { settling, type Session } from "../session.ts";
import { isEnd, jobIdOf } from "../submission.ts";
import { fieldsOf, type HttpResponse } from "../wire/response.ts";

const price = 8;

/** Numbers from here on are a Unix time in seconds, and not a duration. */
const minEpoch = 1_000_000;

/** Open points of idempotency, refunds, purchases and the rate limit. */
export const billingProbes = probeGroup(0, {
  replayHeader: {
    title: "Idempotent-Replayed: true in replayed responses",
    credits: 16,
    async observe(session) {
      const options = { idempotencyKey: session.unique() };
      const first = await session.submit({}, options);
      const replay = await session.submit({}, options);
      if (first.status !== 200 || replay.status !== 200) return undefined;
      return replay.headers.get("idempotent-replayed") === "true";
    },
  },
  replayBody: {
    title: "Job in a replayed response: as in the first response, or as it is now",
    credits: 16,
    async observe(session) {
      const { first, options } = await submitFirst(session);
      const { job_id: jobId, status } = fieldsOf(first.json);
      if (isEnd(status)) return undefined;
      await session.waitForEnd(jobIdOf(first));
      const replay = await session.submit({}, options);
      const later = fieldsOf(replay.json);
      if (replay.status !== 200 || later["job_id"] !== jobId) return undefined;
      return isEnd(later["status"]) ? "current" : "first";
    },
  },
  refusedKey: {
    title: "Idempotency key of a submission that the service refused",
    credits: 16,
    async observe(session) {
      const isMock = session.hasControl;
      await session.useNewKey({ credits: 0 });
      const options = { idempotencyKey: session.unique() };
      // Without credits, or with an image that cannot be fetched.
      const fields = isMock ? {} : { ...noPerson, person_url: unreachable };
      const { status } = await session.submit(fields, options);
      if (status !== (isMock ? 402 : 400)) return undefined;
      const other = await session.submit({ ...fields, seed: 2 }, options);
      if (other.status === 409) return "kept";
      return other.status === status ? "free" : undefined;
    },
  },
  concurrentTwin: {
    title: "Response to the same key and body during the first request",
    credits: 16,
    async observe(session) {
      const idempotencyKey = session.unique();
      await session.slowNextJob(8_000);
      const send = () => session.submit({ wait: true }, { idempotencyKey });
      const first = send();
      const isOver = settling(first);
      await session.waitForRequests(idempotencyKey, 1);
      // A second request after the first response would get a replay.
      if (isOver()) {
        await first;
        return undefined;
      }
      const second = send();
      await Promise.race([second, session.waitForRequests(idempotencyKey, 2)]);
      const both = Promise.all([first, second]);
      const [response, twin] = await session.passUntilSettled(both, idempotencyKey);
      if (twin.status === 409) return 409;
      return response.status === 200 && twin.status === 200 ? "join" : undefined;
    },
  },
  refund: {
    title: "Failed jobs that are refunded",
    level: "paid",
    async observe(session) {
      const rejected = await isRefunded(session, "model_rejected");
      const stored = await isRefunded(session, "storage_failed");
      const blocked = await isRefunded(session, "content_blocked");
      if (rejected !== stored || (blocked && !rejected)) {
        const words = [rejected, stored, blocked].map((one) => (one ? "refunded" : "not refunded"));
        throw new CheckFailure(
          `model_rejected is ${words[0]}, storage_failed ${words[1]} and content_blocked ${words[2]}.`,
        );
      }
      if (!rejected) return "none";
      return blocked ? "failed" : "failed-except-content-blocked";
    },
  },
  purchaseRepeat: {
    title: "Response to a repeated purchase with the same key and token",
    async observe(session) {
      await session.useNewKey();
      // Without the control API a payment with a live key is a real one.
      const isReal = !session.hasControl && session.key.kind === "live";
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
    title: "Value of credits_added in the response to a repeated purchase",
    async observe(session) {
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
    title: "Value of credits_added for a purchase with a test key",
    on: "test",
    async observe(session) {
      const { json } = await buy(session, { pack_slug: "pro" });
      const { credits_added: added } = fieldsOf(json);
      return added === 0 ? 0 : added === packs.pro.credits ? "pack" : undefined;
    },
  },
  unknownPack: {
    title: "Status for an unknown pack",
    async observe(session) {
      const { status } = await buy(session, { pack_slug: "no-such-pack" });
      return status === 400 || status === 422 ? status : undefined;
    },
  },
  totalCalls: {
    title: "Requests that count in total_calls",
    async observe(session) {
      await session.useNewKey();
      const before = requestsIn(await session.account());
      await session.poll(session.unknownJobId());
      const counted = requestsIn(await session.account()) - before;
      return counted === 2 ? "admitted" : counted === 1 ? "accepted" : undefined;
    },
  },
  rateWindow: {
    title: "Window of the rate limit: fixed, or sliding",
    async observe(session) {
      const { time } = session;
      need(time.virtual, "It takes minutes without a virtual clock.");
      session.key = await session.freshKey({ rate_limit_per_min: 3 });
      const send = () => session.account({ return429: true });
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
    title: "Responses with X-RateLimit-* headers",
    rules: ["errors.429.which-headers", "errors.429.rate-limit-headers"],
    async observe(session) {
      if (hasRateHeaders(await session.account())) return "all";
      return hasRateHeaders(await refusedRequest(session)) ? "429-only" : "none";
    },
  },
  resetUnit: {
    title: "Unit of X-RateLimit-Reset: a time, or the seconds until it",
    async observe(session) {
      const account = await session.account();
      const hasReset = account.headers.has("x-ratelimit-reset");
      const { headers } = hasReset ? account : await refusedRequest(session);
      const reset = headers.get("x-ratelimit-reset");
      if (reset === null || !/^\d+$/.test(reset)) return undefined;
      return Number(reset) > minEpoch ? "epoch" : "delta";
    },
  },
  retryAfterFormat: {
    title: "Form of Retry-After: seconds, or an HTTP date",
    async observe(session) {
      const { headers } = await refusedRequest(session);
      const text = headers.get("retry-after") ?? "";
      if (/^\d+$/.test(text)) return "seconds";
      return Number.isNaN(Date.parse(text)) ? undefined : "date";
    },
  },
});

/** If true, a job that failed in this way cost nothing in the end. */
async function isRefunded(session: Session, failure: Failure): Promise<boolean> {
  session.key = await session.freshKey({ credits: 50 });
  const { result: job, credits } = await balanceChange(session, () => failedJob(session, failure));
  if (credits === 0) return true;
  if (credits === -price) return false;
  throw new CheckFailure(`A failed job of ${price} credits took ${-credits} in the end.`, job);
}

function hasRateHeaders({ headers }: HttpResponse): boolean {
  return [...headers.keys()].some((name) => name.startsWith("x-ratelimit-"));
}
