import { AsyncLocalStorage } from "node:async_hooks";
import { createReceiver } from "../../src/index.ts";
import type { Clock, Receiver, ReceiverOptions, ReceiverStore } from "../../src/index.ts";
import { StoreProbe } from "../store-probe.ts";
import type { FaultPlan } from "./faults.ts";
import { PlannedEvent } from "./planned-event.ts";

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
export class FaultScenario extends PlannedEvent {
  readonly #settings: ReceiverSettings;
  readonly #environment: Environment;
  #lastRequest: Request | undefined;
  #process: ReceiverProcess | undefined;
  /** Called when the current request waits for time to pass. */
  readonly #onWait = new AsyncLocalStorage<() => void>();

  constructor(plan: FaultPlan, settings: ReceiverSettings, environment: Environment) {
    super(plan);
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
    const fault = this.nextFault;
    if (fault === "redirects" || fault === "is down") {
      this.faults += 1;
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
          done: (key, ttl) => (this.killBeforeDone ? this.#kill() : store.done(key, ttl)),
        },
        handle: () => this.#handle(),
      });
    }
    return this.#process.receive(request);
  }

  #kill(): Promise<never> {
    this.#process?.kill();
    this.#process = undefined;
    this.killed();
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
    const { hangs, isKilled, fails } = this.startHandler();
    const { handlerTime = 0 } = this.#settings;
    if (handlerTime > 0) await this.#sleep(handlerTime);
    if (hangs) await this.#sleep(hangTime);
    if (isKilled) await this.#kill();
    this.endHandler(!fails);
    if (fails) throw new Error("Planned failure.");
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
