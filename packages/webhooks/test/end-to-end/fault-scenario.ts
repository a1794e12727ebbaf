import { AsyncLocalStorage } from "node:async_hooks";
import { createReceiver } from "../../src/index.ts";
import type { Clock, Receiver, ReceiverOptions, ReceiverStore } from "../../src/index.ts";
import { StoreProbe } from "../store-probe.ts";
import type { DeliveryOutcome, FaultPlan } from "./faults.ts";

/** Longer than the service waits for a response, shorter than the next attempt waits for a claim. */
const hangTime = 12_000;
const never = new Promise<never>(() => undefined);

/** Creates the receiver under test: that of this package, or a mutant. */
export type CreateReceiver = (options: ReceiverOptions) => Receiver;

export interface ReceiverSettings {
  readonly claimTtl?: number | undefined;
  /** Time that a handler takes before its fault, in milliseconds. @default 0 */
  readonly handlerTime?: number;
  /** @default createReceiver */
  readonly create?: CreateReceiver;
  /** Starts a separate process. @default a receiver in this process, on the clock of the service */
  readonly startProcess?: (setup: ReceiverSetup) => ReceiverProcess;
}

/** Parts that outlive the process of a receiver. */
export interface Environment {
  readonly clock: Clock;
  readonly store: ReceiverStore;
  readonly secret: string;
}

export interface ReceiverSetup {
  readonly secret: string;
  readonly claimTtl: number | undefined;
  readonly store: ReceiverStore;
  readonly handle: () => Promise<void>;
}

export interface ReceiverProcess {
  readonly receive: (request: Request) => Promise<Response>;
  /** Stops timers and store calls, and resets connections. */
  readonly kill: () => void;
}

/** An event of the reference server, and the process that receives it. */
export class FaultScenario {
  readonly #plan: FaultPlan;
  readonly #settings: ReceiverSettings;
  readonly #environment: Environment;
  #lastRequest: Request | undefined;
  #process: ReceiverProcess | undefined;
  #completions = 0;
  #lostCompletions = 0;
  #handlers = 0;
  #maxConcurrentHandlers = 0;
  #faults = 0;
  /** If true, the process is killed when it calls `done` next. */
  #killBeforeDone = false;
  /** Called when the current request waits for time to pass. */
  readonly #onWait = new AsyncLocalStorage<() => void>();

  constructor(plan: FaultPlan, settings: ReceiverSettings, environment: Environment) {
    this.#plan = plan;
    this.#settings = settings;
    this.#environment = environment;
  }

  get lastRequest(): Request {
    if (this.#lastRequest === undefined) throw new Error("No request was sent yet.");
    return this.#lastRequest.clone();
  }

  /**
   * Delivers a request over a network with the planned faults.
   *
   * @param outside waits for a response that needs time to pass.
   */
  async deliver(
    request: Request,
    outside: (response: Promise<Response>) => Promise<Response>,
  ): Promise<Response> {
    this.#lastRequest = request.clone();
    const fault = this.#plan[this.#faults];
    if (fault === "redirects" || fault === "is down") {
      this.#faults += 1;
      if (fault === "is down") throw new TypeError("fetch failed: connection refused.");
      return new Response(null, { status: 307, headers: { location: "https://shop.example/" } });
    }
    const { promise: waits, resolve } = Promise.withResolvers<void>();
    const response = this.#onWait.run(resolve, () => this.receive(request));
    const settled = Promise.race([response, rejectOnAbort(request.signal)]);
    // The clock must not advance before the receiver waits for it.
    await Promise.race([settled.catch(() => undefined), waits]);
    return outside(settled);
  }

  /** Passes a request to the receiver, which is started again if it was killed. */
  receive(request: Request): Promise<Response> {
    if (this.#process === undefined) {
      const { startProcess = (setup) => this.#startHere(setup), claimTtl } = this.#settings;
      const { store, secret } = this.#environment;
      this.#process = startProcess({
        secret,
        claimTtl,
        store: {
          ...store,
          done: (key, ttl) => (this.#killBeforeDone ? this.#kill() : store.done(key, ttl)),
        },
        handle: () => this.#handle(),
      });
    }
    return this.#process.receive(request);
  }

  #kill(): Promise<never> {
    this.#process?.kill();
    this.#process = undefined;
    if (this.#killBeforeDone) this.#lostCompletions += 1;
    this.#killBeforeDone = false;
    this.#handlers = 0;
    return never;
  }

  #startHere({ secret, claimTtl, store: shared, handle }: ReceiverSetup): ReceiverProcess {
    const { create = createReceiver } = this.#settings;
    const { clock } = this.#environment;
    const reset = Promise.withResolvers<never>();
    reset.promise.catch(() => undefined);
    const store = new StoreProbe(shared);
    const receiver = create({
      secrets: secret,
      claimTtl,
      clock: {
        now: () => clock.now(),
        setTimeout: (callback, delay) => {
          this.#onWait.getStore()?.();
          return clock.setTimeout(() => store.crashed || callback(), delay);
        },
        clearTimeout: (timer) => clock.clearTimeout(timer),
      },
      store,
      onCompleted: handle,
      onError: () => undefined,
    });
    return {
      receive: (request) => Promise.race([receiver(request), reset.promise]),
      kill: () => {
        store.crashed = true;
        reset.reject(new TypeError("fetch failed: the receiver was killed."));
      },
    };
  }

  async #handle(): Promise<void> {
    const fault = this.#plan[this.#faults] ?? "";
    if (fault !== "") this.#faults += 1;
    this.#handlers += 1;
    this.#maxConcurrentHandlers = Math.max(this.#maxConcurrentHandlers, this.#handlers);
    this.#killBeforeDone = fault === "is killed before done";
    const { handlerTime = 0 } = this.#settings;
    if (handlerTime > 0) await this.#sleep(handlerTime);
    if (fault.startsWith("hangs")) await this.#sleep(hangTime);
    if (fault.endsWith("is killed")) await this.#kill();
    this.#handlers -= 1;
    if (fault.endsWith("fails")) throw new Error("Planned failure.");
    this.#completions += 1;
  }

  /** Returns the outcome until now. */
  outcome(attempts: DeliveryOutcome["attempts"]): DeliveryOutcome {
    return {
      plan: this.#plan,
      completions: this.#completions,
      lostCompletions: this.#lostCompletions,
      maxConcurrentHandlers: this.#maxConcurrentHandlers,
      faults: this.#faults,
      attempts,
    };
  }

  #sleep(delay: number): Promise<void> {
    this.#onWait.getStore()?.();
    return new Promise((resolve) => {
      this.#environment.clock.setTimeout(resolve, delay);
    });
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason));
  return promise;
}
