import type { TryOnCompletedEvent, UnknownEvent } from "../verification/event.ts";
import type { VerifySettings } from "../verification/verify.ts";
import { completeClock, systemClock, type CompleteClock } from "@tryon/shared/clock";
import {
  anything,
  duration,
  func,
  readOptions,
  wholeNumber,
  type Rule,
} from "@tryon/shared/options";
import type { Clock } from "./clock.ts";
import { createMemoryStore } from "./memory-store.ts";
import type { ReceiverStore } from "./store.ts";

/** Second argument of a handler. */
export interface HandlerContext {
  /**
   * Aborted when the claim on the event is lost, because the store was unreachable for `claimTtl`
   * or this process was suspended. Another delivery may be handled from then on.
   */
  readonly signal: AbortSignal;
  /** Index in `secrets` of the secret that matches; −1 for an event of `reconcile`. */
  readonly secretIndex: number;
}

/** Options of a receiver. Times are in milliseconds, or strings such as `"5m"`. */
export interface ReceiverOptions extends Omit<VerifySettings, "now"> {
  /**
   * Called with each event of a job that ended: never concurrently for one event, never again after
   * success, again after a failure. If it throws or rejects, the response is 500 and the service
   * retries after 1, 4 and 16 s. A process can crash between the end of the handler and the store
   * call that records it, so make the handler idempotent.
   *
   * It has about 10 s. The service then sends the next attempt, which waits for this handler. Add
   * longer work to a queue, or use `background`.
   */
  readonly onCompleted: (event: TryOnCompletedEvent, context: HandlerContext) => unknown;

  /**
   * Called with signed events of kinds that this version does not support, once per body.
   *
   * @default none: the response is 204
   */
  readonly onUnknown?: ((event: UnknownEvent, context: HandlerContext) => unknown) | undefined;

  /**
   * Called with each error whose response is not 2xx, and the status. Pass `() => {}` to log
   * nothing. If a handler or a store throws another value than an `Error`, that value is the
   * `cause` of the error.
   *
   * @default Logs each unhandled event with `console.error`. Reports `signature_mismatch`,
   * `missing_signature` and `invalid_secret` with `console.warn` and the fix: at once, then at most
   * once a minute with their number, and without secret, signature or body
   */
  readonly onError?: ((error: Error, status: number) => unknown) | undefined;

  /**
   * Store of the handled events.
   *
   * @default a `createMemoryStore()`, for a receiver that runs as one process
   */
  readonly store?: ReceiverStore | undefined;

  /**
   * Responds with 202 before the event is handled. **This loses the retries of the service**: if
   * the handler fails or the process crashes, the event is lost, unless you store it yourself or
   * poll the job. A function receives the promise of the work, for runtimes that stop after the
   * response: `waitUntil` of Workers and Vercel, `after` of Next.js.
   *
   * @default false
   */
  readonly background?: boolean | ((work: Promise<void>) => unknown) | undefined;

  /**
   * Time for which a handled event is remembered. A recorded copy that is sent later is handled
   * again, unless `maxAge` is at most this time.
   *
   * @default 604_800_000 (7 days)
   */
  readonly dedupeTtl?: number | string | undefined;

  /**
   * Time after which the claim of a crashed process expires. A running handler renews its claim
   * every third of this time, so a process that is suspended for two thirds can lose it. Up to
   * 8,500, a crash costs the event only that attempt: the next one starts a second later and waits
   * for 8 s.
   *
   * @default 7_500
   */
  readonly claimTtl?: number | string | undefined;

  /**
   * Time for which a delivery waits while another delivery of its event is being handled. After it
   * the response is 503. The service gives an attempt 10 s.
   *
   * @default 8_000
   */
  readonly claimWait?: number | string | undefined;

  /** @default the clock of the runtime */
  readonly clock?: Clock | undefined;
}

export interface ClaimSettings {
  readonly store: ReceiverStore;
  readonly clock: CompleteClock;
  readonly claimTtl: number;
  readonly claimWait: number;
  readonly dedupeTtl: number;
}

export function claimSettings(options: ReceiverOptions): ClaimSettings {
  // Inside, so that bundlers can leave it out.
  const rules = {
    secrets: anything(),
    maxBodyBytes: wholeNumber(0),
    maxAge: duration(0, Infinity),
    onCompleted: { ...func(), isRequired: true, hint: "Pass a handler for completed jobs." },
    onUnknown: func(),
    onError: func(),
    store: anything<ReceiverStore>(),
    background: anything(),
    dedupeTtl: { ...duration(), fallback: 604_800_000 },
    claimTtl: { ...duration(), fallback: 7_500 },
    claimWait: { ...duration(), fallback: 8_000 },
    clock: { ...anything<Clock>(), fallback: systemClock },
  } satisfies Record<keyof ReceiverOptions, Rule>;
  const { clock, store, claimTtl, claimWait, dedupeTtl } = readOptions(
    "an option of createReceiver",
    options,
    rules,
  );
  return {
    clock: completeClock(clock),
    store: store ?? createMemoryStore({ clock }),
    claimTtl,
    claimWait,
    dedupeTtl,
  };
}
