import { AsyncLocalStorage } from "node:async_hooks";
import { createReceiver } from "../../src/index.ts";
import type { Clock, Receiver, ReceiverOptions, ReceiverStore } from "../../src/index.ts";
import type { Fault, FaultPlan } from "./faults.ts";

/** Longer than the service waits for a response, shorter than the next attempt waits for a claim. */
const hangTime = 12_000;
const never = new Promise<never>(() => undefined);

/** Creates the receiver under test: that of this package, or a mutant. */
export type CreateReceiver = (options: ReceiverOptions) => Receiver;

/** Settings of the receivers of a scenario. */
export interface ReceiverSettings {
  readonly claimTtl?: number | undefined;
  /** Time that a handler takes before its fault, in milliseconds. @default 0 */
  readonly handlerTime?: number;
  /** @default createReceiver */
  readonly create?: CreateReceiver;
}

/** Parts that outlive the process of a receiver. */
export interface Environment {
  readonly clock: Clock;
  readonly store: ReceiverStore;
  readonly secret: string;
}

/** One event with its planned faults, and the process that receives it. */
export class FaultScenario {
  readonly plan: FaultPlan;
  completions = 0;
  lostCompletions = 0;
  maxConcurrentHandlers = 0;
  faults = 0;
  readonly #settings: ReceiverSettings;
  readonly #environment: Environment;
  #lastRequest: Request | undefined;
  #process: CrashableReceiver | undefined;
  #handlers = 0;
  #killBeforeDone = false;
  /** Called when the current request waits for time to pass. */
  readonly #onWait = new AsyncLocalStorage<() => void>();

  constructor(plan: FaultPlan, settings: ReceiverSettings, environment: Environment) {
    this.plan = plan;
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
    const fault = this.plan[this.faults];
    if (fault === "redirects" || fault === "is down") {
      this.faults += 1;
      if (fault === "is down") throw new TypeError("fetch failed: connection refused.");
      return new Response(null, { status: 307, headers: { location: "https://shop.example/" } });
    }
    const { promise: waits, resolve } = Promise.withResolvers<void>();
    const response = this.#onWait.run(resolve, () => this.receive(request));
    // The clock must not advance before the receiver waits for it.
    await Promise.race([response.catch(() => undefined), waits]);
    return outside(Promise.race([response, rejectOnAbort(request.signal)]));
  }

  /** Passes a request to the receiver, which is started again if it was killed. */
  receive(request: Request): Promise<Response> {
    if (this.#process === undefined || this.#process.killed) this.#process = this.#start();
    return this.#process.receive(request);
  }

  #start(): CrashableReceiver {
    const { create = createReceiver, claimTtl } = this.#settings;
    const { clock, store, secret } = this.#environment;
    this.#handlers = 0;
    this.#killBeforeDone = false;
    const process: CrashableReceiver = new CrashableReceiver(
      {
        secrets: secret,
        claimTtl,
        clock,
        store: {
          ...store,
          done: async (key, ttl) => {
            if (!this.#killBeforeDone) return store.done(key, ttl);
            this.lostCompletions += 1;
            process.kill();
            return undefined;
          },
        },
        onCompleted: () => this.#handle(process),
        onError: () => undefined,
      },
      create,
      () => this.#onWait.getStore()?.(),
    );
    return process;
  }

  async #handle(process: CrashableReceiver): Promise<void> {
    const fault = this.plan[this.faults];
    if (fault !== undefined) this.faults += 1;
    this.#handlers += 1;
    this.maxConcurrentHandlers = Math.max(this.maxConcurrentHandlers, this.#handlers);
    try {
      await this.#runFault(fault, process);
      this.completions += 1;
    } finally {
      this.#handlers -= 1;
    }
  }

  async #runFault(fault: Fault | undefined, process: CrashableReceiver): Promise<void> {
    const { handlerTime = 0 } = this.#settings;
    if (handlerTime > 0) await this.#sleep(handlerTime);
    if (fault?.startsWith("hangs")) await this.#sleep(hangTime);
    if (fault === "is killed before done") this.#killBeforeDone = true;
    if (fault === "is killed" || fault === "hangs and is killed") {
      process.kill();
      await never;
    }
    if (fault === "fails" || fault === "hangs and fails") throw new Error("Planned failure.");
  }

  #sleep(delay: number): Promise<void> {
    this.#onWait.getStore()?.();
    return new Promise((resolve) => {
      this.#environment.clock.setTimeout(resolve, delay);
    });
  }
}

/** A receiver that can crash like a process: its timers stop and its connections are reset. */
class CrashableReceiver {
  killed = false;
  readonly #receiver: Receiver;
  readonly #crash = Promise.withResolvers<never>();

  /** @param onWait called when the receiver waits for time to pass. */
  constructor(
    options: ReceiverOptions & Pick<Environment, "clock" | "store">,
    create: CreateReceiver,
    onWait: () => void,
  ) {
    this.#crash.promise.catch(() => undefined);
    const { clock, store, onCompleted } = options;
    this.#receiver = create({
      ...options,
      clock: {
        now: () => clock.now(),
        setTimeout: (callback, delay) => {
          onWait();
          return clock.setTimeout(() => {
            if (!this.killed) callback();
          }, delay);
        },
        clearTimeout: (timer) => clock.clearTimeout(timer),
      },
      store: {
        claim: (...args) => this.#unlessKilled(() => store.claim(...args)),
        done: (...args) => this.#unlessKilled(() => store.done(...args)),
        release: (...args) => this.#unlessKilled(() => store.release(...args)),
      },
      onCompleted: (...args) => this.#unlessKilled(() => onCompleted(...args)),
    });
  }

  /** Rejects like a connection that is reset if the receiver is killed first. */
  receive(request: Request): Promise<Response> {
    return Promise.race([this.#receiver(request), this.#crash.promise]);
  }

  kill(): void {
    this.killed = true;
    this.#crash.reject(new TypeError("fetch failed: the receiver was killed."));
  }

  /** Runs a step and returns its result, unless the receiver is killed before or meanwhile. */
  async #unlessKilled<Result>(step: () => Result | Promise<Result>): Promise<Result> {
    if (this.killed) return never;
    const result = await step();
    return this.killed ? never : result;
  }
}

/** Rejects when the sender aborts the request. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason));
  return promise;
}
