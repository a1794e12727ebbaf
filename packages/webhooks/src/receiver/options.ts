import type { TryOnCompletedEvent, UnknownEvent } from "../verification/event.ts";
import type { VerifySettings } from "../verification/verify.ts";
import type { Clock } from "./clock.ts";
import type { ReceiverStore } from "./store.ts";

/** What a handler is told besides the event. */
export interface HandlerContext {
  /**
   * Aborted when the claim on the event is lost, because the store could not be reached for
   * `claimTtl` or this process stood still: another delivery may be handled from then on.
   */
  readonly signal: AbortSignal;
  /** The position in `secrets` of the one that fits. */
  readonly secretIndex: number;
}

/** How a receiver works. Times are in milliseconds. */
export interface ReceiverOptions extends Omit<VerifySettings, "now"> {
  /**
   * Called with each event of a job that ended, once per event as long as it succeeds: never twice
   * at a time, and not again after it has come to its end. If it throws or rejects, the delivery is
   * answered 500 and the service tries again, after 1, 4 and 16 s. Since a process can die between
   * the end of a handler and the note of it, what it does has to bear being done twice.
   *
   * It has about 10 s: after that the service gives the attempt up and sends another, which waits
   * for this one. Longer work belongs into a queue, or see `background`.
   */
  readonly onCompleted: (event: TryOnCompletedEvent, context: HandlerContext) => unknown;

  /**
   * Called with signed events of kinds that this version does not know, once per body.
   *
   * @default none: they are answered 204 and left
   */
  readonly onUnknown?: ((event: UnknownEvent, context: HandlerContext) => unknown) | undefined;

  /**
   * Called with each error that is not answered 2xx, and the status answered. Pass `() => {}` to
   * silence the default.
   *
   * @default Logs each event that was not handled with `console.error`. Reports `signature_mismatch`,
   * `missing_signature` and `invalid_secret` with `console.warn` and the fix: once each, then at most
   * once a minute with their number, and without secret, signature or body
   */
  readonly onError?: ((error: unknown, status: number) => unknown) | undefined;

  /**
   * Remembers which events were handled.
   *
   * @default a `createMemoryStore()`, which suits a receiver that runs as one process
   */
  readonly store?: ReceiverStore | undefined;

  /**
   * Answers 202 before the event is handled. **This gives up the retries of the service**: it takes
   * the event for delivered, so one whose handler fails, or whose process dies, is lost unless you
   * keep it yourself, and poll the job. A function is given the promise of the work, for runtimes
   * that stop when they have answered: `waitUntil` of Workers and Vercel, `after` of Next.
   *
   * @default false
   */
  readonly background?: boolean | ((work: Promise<void>) => unknown) | undefined;

  /**
   * How long an event is remembered that was handled. A copy that somebody recorded and sends later
   * is handled again, unless `maxAge` is set to no more than this.
   *
   * @default 604_800_000 (7 days)
   */
  readonly dedupeTtl?: number | undefined;

  /**
   * How long the claim of a process that died keeps others out. It is renewed each third of this
   * while its handler lives, so a process that stands still for two thirds can lose it. Up to 8,500
   * a process that is killed costs its event no more than that one attempt: the next comes a second
   * later and waits for 8 s.
   *
   * @default 7_500
   */
  readonly claimTtl?: number | undefined;

  /**
   * How long a delivery waits for another one of the same event that is being handled, before it is
   * answered 503. The service gives an attempt 10 s.
   *
   * @default 8_000
   */
  readonly claimWait?: number | undefined;

  /** @default the machine's clock */
  readonly clock?: Clock | undefined;
}

const times = { claimTtl: 7_500, claimWait: 8_000, dedupeTtl: 604_800_000 } as const;

/** The times of a receiver, each checked. */
export function timesOf(options: ReceiverOptions): Record<keyof typeof times, number> {
  const { claimTtl, claimWait, dedupeTtl } = times;
  return {
    claimTtl: positive("claimTtl", options.claimTtl ?? claimTtl),
    claimWait: positive("claimWait", options.claimWait ?? claimWait),
    dedupeTtl: positive("dedupeTtl", options.dedupeTtl ?? dedupeTtl),
  };
}

/** @throws `TypeError` that names the option, for what the types forbid and JavaScript allows. */
export function checkHandlers(options: ReceiverOptions): void {
  const { onCompleted, onUnknown, onError } = options;
  if (typeof onCompleted !== "function") {
    throw new TypeError("onCompleted: it is no function. Pass what handles a job that ended.");
  }
  for (const [name, value] of Object.entries({ onUnknown, onError })) {
    if (value !== undefined && typeof value !== "function") {
      throw new TypeError(`${name}: it is no function. Pass one, or leave it out.`);
    }
  }
}

function positive(name: string, value: number): number {
  if (Number.isFinite(value) && value > 0) return value;
  throw new RangeError(
    `${name}: ${String(value)} is no number of milliseconds above 0. Leave it out for its default.`,
  );
}
