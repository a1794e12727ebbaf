import { setImmediate } from "node:timers/promises";

import { createReceiver, sign } from "../src/index.ts";
import type {
  HandlerContext,
  ReceiverOptions,
  ReceiverStore,
  TryOnCompletedEvent,
} from "../src/index.ts";
import type { ManualClock } from "./manual-clock.ts";
import { StoreProbe } from "./store-probe.ts";

export const secret = "whsec_test";

export interface Attempt {
  /** Status of the response, once it is sent. */
  status: number | undefined;
  readonly response: Promise<Response>;
}

/** Call of a handler, which the test ends. */
export interface HandlerCall {
  readonly event: TryOnCompletedEvent;
  readonly context: HandlerContext;
  readonly succeed: () => void;
  readonly fail: (error: unknown) => void;
}

/** Creates a signed request with an event or a body. */
export async function delivery(fields: object | string): Promise<Request> {
  const body = typeof fields === "string" ? fields : JSON.stringify(fields);
  const headers = { "X-Service-Signature": await sign({ body, secret }) };
  return new Request("https://shop.example/hook", { method: "POST", headers, body });
}

/** A receiver in one of several processes that share a store and a clock. */
export class ReceivingProcess {
  readonly store: StoreProbe;
  readonly calls: HandlerCall[] = [];
  readonly errors: { readonly error: Error; readonly status: number }[] = [];
  readonly receive: (request: Request) => Promise<Response>;
  readonly #clock: ManualClock;

  constructor(shared: ReceiverStore, clock: ManualClock, options: Partial<ReceiverOptions> = {}) {
    this.#clock = clock;
    this.store = new StoreProbe(shared);
    this.receive = createReceiver({
      secrets: secret,
      store: this.store,
      clock,
      onCompleted: (event, context) => this.#handle(event, context),
      onError: (error, status) => this.errors.push({ error, status }),
      ...options,
    });
  }

  /** Sends a delivery and returns when it waits for its handler, another delivery or the store. */
  async deliver(fields: object = {}): Promise<Attempt> {
    const event = { event: "tryon.completed", job_id: "job_1", status: "succeeded", ...fields };
    const request = await delivery(event);
    const claimed = this.store.nextDelivery();
    const response = this.receive(request);
    const attempt: Attempt = { status: undefined, response };
    const responded = response.then(({ status }) => (attempt.status = status));
    await Promise.race([claimed, responded]);
    await setImmediate();
    return attempt;
  }

  /** Sends a delivery and returns the status of its response. */
  async statusOf(fields?: object): Promise<number> {
    return (await (await this.deliver(fields)).response).status;
  }

  async succeed(): Promise<void> {
    this.calls.at(-1)?.succeed();
    await this.#clock.advance(0);
  }

  async fail(error: unknown = new Error("The handler failed.")): Promise<void> {
    this.calls.at(-1)?.fail(error);
    await this.#clock.advance(0);
  }

  /** If true, the signal of the first handler was aborted. */
  get aborted(): boolean | undefined {
    return this.calls[0]?.context.signal.aborted;
  }

  /** Simulates a crash: no handler ends, and no call reaches the store. */
  crash(): void {
    this.store.crashed = true;
  }

  #handle(event: TryOnCompletedEvent, context: HandlerContext): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.calls.push({ event, context, succeed: resolve, fail: reject });
    return promise;
  }
}
