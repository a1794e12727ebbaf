import type { DeliveryAttemptPlan } from "../delivery/webhook-delivery.ts";
import type { Clock } from "../system/timers.ts";
import type { ServerStateClock } from "../system/system.ts";
import { connectionReset, truncate } from "./broken-connection.ts";
import { faultResponse } from "./fault-response.ts";
import type { FaultInput } from "./fault.ts";
import { Faults, type FaultMatch } from "./faults.ts";
import { Journal } from "./journal.ts";
import type { SnapshotPart } from "./server-states.ts";
import { milliseconds } from "../system/duration.ts";

/** Faults and journal, put around everything that comes in and goes out. */
export class Control {
  readonly faults: Faults;
  readonly journal: Journal;
  /** Faults and journal as parts of the server that a snapshot keeps. */
  readonly parts: readonly SnapshotPart[];
  readonly #truncated = new WeakMap<Request, number>();

  constructor(parts: {
    readonly clock: Clock;
    readonly seed: string;
    readonly journalLimit: number;
  }) {
    this.faults = new Faults(parts.seed);
    this.journal = new Journal(parts.clock, parts.journalLimit);
    this.parts = [keptPart(this.faults), keptPart(this.journal)];
  }

  /** A call from its beginning to its end; `answer` is the whole HTTP face. */
  async handleRequest(request: Request, answer: () => Promise<Response>): Promise<Response> {
    const { journal } = this;
    journal.begin(request);
    try {
      const response = await answer();
      journal.end(request, response.status);
      const length = this.#truncated.get(request);
      return length === undefined ? response : await truncate(response, length);
    } catch (error) {
      journal.end(request, null);
      throw error;
    }
  }

  /** The part of a call that faults have a hand in: what comes back goes through headers and CORS as any answer does. */
  async applyFaults(
    request: Request,
    work: () => Promise<Response>,
    clock: ServerStateClock,
  ): Promise<Response> {
    if (this.faults.none) return work();
    const strike = this.faults.strikeCall(request.method, new URL(request.url).pathname);
    if (strike.faultIds.length === 0) return work();
    this.journal.noteFaults(request, strike.faultIds);
    return this.#carryOut(request, strike, work, clock);
  }

  /** How the webhook that is about to be sent leaves, or does not. */
  webhook(send: DeliveryAttemptPlan["send"]): DeliveryAttemptPlan {
    const { delay, fault, faultIds } = this.faults.strikeWebhook();
    return {
      delay,
      async send(request) {
        if (fault?.drop) throw new Error(`The webhook was dropped by ${faultIds.join(", ")}.`);
        if (fault?.reset === "before") throw connectionReset();
        const response = await send(request);
        if (fault?.reset === "after") throw connectionReset();
        return response;
      },
    };
  }

  async #carryOut(
    request: Request,
    { delay, fault }: FaultMatch,
    work: () => Promise<Response>,
    clock: ServerStateClock,
  ): Promise<Response> {
    if (delay > 0) {
      await clock.outside(new Promise<void>((resolve) => clock.setTimeout(resolve, delay)));
    }
    if (fault?.reset === "before") throw connectionReset();
    const response = await this.#answer(fault, work, clock);
    if (fault?.reset === "after") throw connectionReset();
    if (fault?.truncateAt !== undefined) this.#truncated.set(request, fault.truncateAt);
    return response;
  }

  #answer(
    fault: FaultInput | undefined,
    work: () => Promise<Response>,
    clock: ServerStateClock,
  ): Promise<Response> {
    if (fault?.cutAfter !== undefined) return this.#cut(fault, fault.cutAfter, work, clock);
    return fault?.status === undefined ? work() : Promise.resolve(faultResponse(fault));
  }

  /** The work's answer, or the proxy's when that comes first; the work goes on either way. */
  async #cut(
    fault: FaultInput,
    after: NonNullable<FaultInput["cutAfter"]>,
    work: () => Promise<Response>,
    clock: ServerStateClock,
  ): Promise<Response> {
    let timer: ReturnType<typeof clock.setTimeout> | undefined;
    const cut = new Promise<undefined>((resolve) => {
      timer = clock.setTimeout(() => resolve(undefined), milliseconds(after));
    });
    const working = clock.during(work);
    try {
      return (await clock.outside(Promise.race([working, cut]))) ?? faultResponse(fault);
    } finally {
      clock.clearTimeout(timer);
      // When the proxy has answered, nobody is left to hear of a failure.
      working.catch(() => undefined);
    }
  }
}

function keptPart<State>(part: {
  snapshot(): State;
  restore(state: State): void;
  reset(): void;
}): SnapshotPart {
  return {
    keep() {
      const state = part.snapshot();
      return () => part.restore(state);
    },
    reset: () => part.reset(),
  };
}
