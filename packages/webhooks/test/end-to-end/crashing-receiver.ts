import type { Clock, Receiver, ReceiverOptions, ReceiverStore } from "../../src/index.ts";

/** What a receiver stands on that lives as long as its process and no longer. */
interface Ground {
  readonly clock: Clock;
  readonly store: ReceiverStore;
  readonly onCompleted: ReceiverOptions["onCompleted"];
}

/** A receiver that can die as a process does: nothing of it goes on, and its connections break. */
export interface CrashingReceiver {
  readonly dead: boolean;
  /** Rejects as a connection that is reset when the process dies first. */
  receive(request: Request): Promise<Response>;
  kill(): void;
}

/**
 * Puts a receiver on a ground that ends with its life: no timer of it fires any more, and no step of
 * the store is begun or heard of.
 *
 * @param waits called when the receiver waits for time to pass.
 */
export function crashingReceiver(
  ground: Ground,
  make: (ground: Ground) => Receiver,
  waits: () => void,
): CrashingReceiver {
  const life = { dead: false };
  const { promise: death, reject: die } = Promise.withResolvers<never>();
  death.catch(() => undefined);
  const never = new Promise<never>(() => undefined);
  /** Begins nothing after death, and lets nobody who was alive hear of its end. */
  const alive = async <Result>(step: () => Result | Promise<Result>): Promise<Result> => {
    if (life.dead) return never;
    const result = await step();
    return life.dead ? never : result;
  };
  const { clock, store } = ground;
  const receiver = make({
    clock: {
      now: () => clock.now(),
      setTimeout(callback, delay) {
        waits();
        return clock.setTimeout(() => {
          if (!life.dead) callback();
        }, delay);
      },
      clearTimeout: (timer) => clock.clearTimeout(timer),
    },
    store: {
      claim: (key, owner, ttl) => alive(() => store.claim(key, owner, ttl)),
      done: (key, ttl) => alive(() => store.done(key, ttl)),
      release: (key, owner) => alive(() => store.release(key, owner)),
    },
    onCompleted: (event, context) => alive(() => ground.onCompleted(event, context)),
  });
  return {
    get dead() {
      return life.dead;
    },
    receive: (request) => Promise.race([receiver(request), death]),
    kill: () => {
      life.dead = true;
      die(new TypeError("fetch failed: the receiver was killed."));
    },
  };
}
