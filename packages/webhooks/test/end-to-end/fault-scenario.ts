import { AsyncLocalStorage } from "node:async_hooks";
import { createReceiver } from "../../src/index.ts";
import type { Clock, Receiver, ReceiverOptions, ReceiverStore } from "../../src/index.ts";
import { crashingReceiver } from "./crashing-receiver.ts";
import type { CrashingReceiver } from "./crashing-receiver.ts";
import { isOnTheWay } from "./faults.ts";
import type { Plan, Fault } from "./faults.ts";

/** Longer than the service waits for an answer, and shorter than the next attempt waits for a claim. */
const hang = 12_000;

/** Makes a receiver: of this package, or of somebody who did it otherwise. */
export type MakeReceiver = (options: ReceiverOptions) => Receiver;

/** How the receivers of a performance are made. */
export interface Participants {
  readonly claimTtl?: number | undefined;
  /** How long a handler has been at work when what is to happen happens. @default 0 */
  readonly work?: number;
  /** @default createReceiver */
  readonly make?: MakeReceiver;
}

/** What outlives the process of a receiver. */
export interface Environment {
  readonly clock: Clock;
  readonly store: ReceiverStore;
  readonly secret: string;
}

/** One event on its way through its troubles, with the process that receives it. */
export class FaultScenario {
  readonly plan: Plan;
  ends = 0;
  endsUnnoted = 0;
  mostAtOnce = 0;
  troubles = 0;
  readonly #cast: Participants;
  readonly #world: Environment;
  #last: Request | undefined;
  #process: CrashingReceiver | undefined;
  #atWork = 0;
  #dieAtNote = false;
  /** Told when the request at hand waits for time to pass. */
  readonly #waiting = new AsyncLocalStorage<() => void>();

  constructor(plan: Plan, cast: Participants, world: Environment) {
    this.plan = plan;
    this.#cast = cast;
    this.#world = world;
  }

  /** The last request that came. */
  get last(): Request {
    if (this.#last === undefined) throw new Error("No request has come yet: let time pass.");
    return this.#last.clone();
  }

  /**
   * Takes a request over what stands between the service and the receiver.
   *
   * @param outside waits for something that itself may wait for time to pass.
   */
  async travel(
    request: Request,
    outside: (answer: Promise<Response>) => Promise<Response>,
  ): Promise<Response> {
    this.#last = request.clone();
    const trouble = this.plan[this.troubles];
    if (isOnTheWay(trouble)) {
      this.troubles += 1;
      if (trouble === "is down") throw new TypeError("fetch failed: connection refused.");
      return new Response(null, { status: 307, headers: { location: "https://shop.example/" } });
    }
    const { promise: waiting, resolve } = Promise.withResolvers<void>();
    const answer = this.#waiting.run(resolve, () => this.receive(request));
    // Until it waits for time to pass it is at work, and time has to wait for that.
    await Promise.race([answer.catch(() => undefined), waiting]);
    return outside(Promise.race([answer, brokenOff(request.signal)]));
  }

  /** Gives a request to the receiver, which is started anew if it has died. */
  receive(request: Request): Promise<Response> {
    if (this.#process === undefined || this.#process.dead) this.#process = this.#start();
    return this.#process.receive(request);
  }

  #start(): CrashingReceiver {
    const { make = createReceiver, claimTtl } = this.#cast;
    const { clock, store, secret } = this.#world;
    this.#atWork = 0;
    this.#dieAtNote = false;
    const process = crashingReceiver(
      {
        clock,
        store: {
          ...store,
          done: async (key, ttl) => {
            if (!this.#dieAtNote) return store.done(key, ttl);
            this.endsUnnoted += 1;
            process.kill();
            return undefined;
          },
        },
        onCompleted: () => this.#handle(process),
      },
      (ground) => make({ ...ground, secrets: secret, claimTtl, onError: () => undefined }),
      () => this.#waiting.getStore()?.(),
    );
    return process;
  }

  async #handle(process: CrashingReceiver): Promise<void> {
    const trouble = this.plan[this.troubles];
    if (trouble !== undefined) this.troubles += 1;
    this.#atWork += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#atWork);
    try {
      await this.#befall(trouble, process);
      this.ends += 1;
    } finally {
      this.#atWork -= 1;
    }
  }

  async #befall(trouble: Fault | undefined, process: CrashingReceiver): Promise<void> {
    const { work = 0 } = this.#cast;
    if (work > 0) await this.#pause(work);
    if (trouble?.startsWith("hangs")) await this.#pause(hang);
    if (trouble === "is killed before the note") this.#dieAtNote = true;
    if (trouble === "is killed" || trouble === "hangs and is killed") {
      process.kill();
      await new Promise<never>(() => undefined);
    }
    if (trouble === "fails" || trouble === "hangs and fails") throw new Error("As planned.");
  }

  #pause(delay: number): Promise<void> {
    this.#waiting.getStore()?.();
    return new Promise((resolve) => {
      this.#world.clock.setTimeout(resolve, delay);
    });
  }
}

/** Rejects when the sender gives up, as every request does. */
function brokenOff(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason));
  return promise;
}
