import { ageSince } from "@tryon/shared/clock";

import type { ClaimSettings } from "./options.ts";
import type { ClaimState } from "./store.ts";

const pollInterval = 250;

/** Maximum number of attempts to record that an event was handled, and the time between them. */
const maxDoneAttempts = 3;
const doneInterval = 1_000;

/** Time from the arrival of a delivery to the end of its store calls. The sender waits 10 s. */
const storeDeadline = 9_000;

/** Time for one claim, and for all attempts of `done`, when the deadline is near or over. */
const minClaimTimeout = 1_000;
const minDoneTimeout = 3_000;

const maxStoreTimeout = 2_000;

const unclaimed = (): number => Infinity;

export function createClaim(
  { store, clock, claimTtl, claimWait, dedupeTtl }: ClaimSettings,
  key: string,
  arrivedAt: number,
) {
  const owner = globalThis.crypto.randomUUID();
  const lost = new AbortController();
  /** Returns the time since the last claim, by the clock that says more: others may have the event after `claimTtl`. */
  let age: () => number = unclaimed;
  let timer: unknown;
  let renewal: Promise<void> | undefined;
  let handled = false;
  let over = false;
  let abandoned = false;

  const timeLeft = (): number => arrivedAt + storeDeadline - clock.monotonic();
  const sleep = (delay: number): Promise<void> =>
    new Promise((resolve) => void clock.setTimeout(resolve, delay));

  /** Rejects when the store does not respond in time, so that the service retries. */
  const limit = <Result>(name: string, timeout: number, call: Promise<Result>): Promise<Result> => {
    let expiry: unknown;
    const expired = new Promise<never>((_resolve, reject) => {
      const message = `The store did not respond to \`${name}\` within ${Math.round(timeout)} ms. Check the connection to it.`;
      expiry = clock.setTimeout(() => reject(new Error(message)), timeout);
    });
    return Promise.race([call, expired]).finally(() => clock.clearTimeout(expiry));
  };

  const releaseIfLate = async (call: Promise<ClaimState>): Promise<void> => {
    try {
      await call;
      if (abandoned) await store.release(key, owner);
    } catch {
      // The claim expires by itself.
    }
  };

  const claim = async (timeout: number): Promise<ClaimState> => {
    // The claim in the store starts later, so it ends later than here.
    const since = ageSince(clock);
    const call = store.claim(key, owner, claimTtl);
    void releaseIfLate(call);
    const state = await limit("claim", timeout, call);
    if (state === "claimed") age = since;
    // Callers without types can return anything.
    else if (state !== "open" && state !== "done") {
      throw new Error("The store must return claimed, open or done from `claim`.");
    }
    return state;
  };

  const stopRenewals = (): void => {
    over = true;
    clock.clearTimeout(timer);
  };

  const lose = (): void => {
    stopRenewals();
    if (handled) return;
    const message = `The claim on ${key} expired during its handler: another delivery of this event may be handled now. Stop the handler if possible.`;
    lost.abort(new Error(message));
  };

  const renew = async (): Promise<void> => {
    const timeToEnd = claimTtl - age();
    if (timeToEnd <= 0) return lose();
    const timeout = Math.min(claimTtl / 3, timeToEnd);
    const state = await claim(timeout).catch(() => "unknown" as const);
    if (over) return;
    if (state === "claimed") renewAfter(claimTtl / 3);
    // An unreachable store may recover before the claim expires.
    else if (state === "unknown") renewAfter(claimTtl / 15);
    else lose();
  };

  const renewAfter = (delay: number): void => {
    const untilEnd = Math.max(0, claimTtl - age());
    timer = clock.setTimeout(() => void (renewal = renew()), Math.min(delay, untilEnd));
  };

  return {
    /** Aborted when the claim was not renewed in time, so that another delivery may have it. */
    signal: lost.signal,

    async take(): Promise<ClaimState> {
      const waitUntil = arrivedAt + claimWait;
      for (;;) {
        const state = await claim(Math.max(minClaimTimeout, timeLeft())).catch((error: unknown) => {
          abandoned = true;
          throw error;
        });
        const now = clock.monotonic();
        if (state === "done") return state;
        // If the store took longer than the claim lasts, another delivery may have it.
        if (state === "claimed" && age() < claimTtl) {
          renewAfter(claimTtl / 3);
          return state;
        }
        if (now >= waitUntil) return "open";
        if (state === "open") await sleep(Math.min(pollInterval, waitUntil - now));
      }
    },

    /** Records that the event was handled. Retries, because a lost record means a second handling. */
    async done(): Promise<void> {
      handled = true;
      const deadline = clock.monotonic() + Math.max(minDoneTimeout, timeLeft());
      try {
        for (let attempt = 1; ; attempt += 1) {
          const timeout = Math.min(maxStoreTimeout, deadline - clock.monotonic());
          try {
            await limit("done", timeout, store.done(key, dedupeTtl));
            return;
          } catch (error) {
            const isLast = attempt === maxDoneAttempts;
            if (isLast || clock.monotonic() + doneInterval >= deadline) throw error;
          }
          await sleep(doneInterval);
        }
      } finally {
        stopRenewals();
      }
    },

    async release(): Promise<void> {
      stopRenewals();
      abandoned = true;
      // A renewal that arrived after the release would block the event until it expires.
      const call = Promise.resolve(renewal).then(() => store.release(key, owner));
      await limit("release", maxStoreTimeout, call);
    },
  };
}
