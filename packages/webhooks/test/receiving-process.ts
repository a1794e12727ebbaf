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

/** A delivery that is under way. */
export interface Attempt {
  /** The status answered, once there is one. */
  status: number | undefined;
  readonly answer: Promise<Response>;
}

/** A handler at work, which ends as the test says. */
export interface Work {
  readonly event: TryOnCompletedEvent;
  readonly context: HandlerContext;
  succeed(): void;
  fail(error?: unknown): void;
}

/** A request that the service could have sent, with an event or a body. */
export async function delivery(fields: object | string): Promise<Request> {
  const body = typeof fields === "string" ? fields : JSON.stringify(fields);
  const headers = { "X-Service-Signature": await sign({ body, secret }) };
  return new Request("https://shop.example/hook", { method: "POST", headers, body });
}

/** A receiver in a process of its own: what it shares with others is the store and the time. */
export class ReceivingProcess {
  readonly store: StoreProbe;
  /** Handlers in the order in which they were called. */
  readonly works: Work[] = [];
  readonly errors: { readonly error: unknown; readonly status: number }[] = [];
  readonly receive: (request: Request) => Promise<Response>;

  constructor(shared: ReceiverStore, clock: ManualClock, options: Partial<ReceiverOptions> = {}) {
    this.store = new StoreProbe(shared);
    this.receive = createReceiver({
      secrets: secret,
      store: this.store,
      clock,
      onCompleted: (event, context) => this.#work(event, context),
      onError: (error, status) => this.errors.push({ error, status }),
      ...options,
    });
  }

  /** Sends a delivery, and comes back when it waits for its handler, another one or the store. */
  async deliver(fields: object = { job_id: "job_1" }): Promise<Attempt> {
    const event = { event: "tryon.completed", job_id: "job_1", status: "succeeded", ...fields };
    const request = await delivery(event);
    const arrival = this.store.arrival();
    const answer = this.receive(request);
    const attempt: Attempt = { status: undefined, answer };
    const answered = answer.then(({ status }) => (attempt.status = status));
    await Promise.race([arrival, answered]);
    // What follows waits for nothing but promises that are settled.
    await setImmediate();
    return attempt;
  }

  /** As if the process had been killed: its handlers do not end, and its store hears nothing. */
  die(): void {
    this.store.dead = true;
  }

  #work(event: TryOnCompletedEvent, context: HandlerContext): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const fail = (error: unknown = new Error("The handler failed.")): void => reject(error);
    this.works.push({ event, context, succeed: resolve, fail });
    return promise;
  }
}
