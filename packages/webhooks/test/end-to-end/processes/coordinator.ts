import { createMemoryStore } from "../../../src/index.ts";
import type { ProcessSlot, SlotEvent } from "./process-slot.ts";
import type { Call, Reply } from "./receiver-process.ts";

const never = new Promise<never>(() => undefined);
const lostClaim =
  "the claim was lost during the handler: a process was suspended for two thirds of claimTtl, or the store granted the claim again.";

/** The shared store of all receiver processes, and the faults of their events. */
export class Coordinator {
  readonly slots: ProcessSlot[] = [];
  /** Errors that no plan has. */
  readonly errors: string[] = [];
  /** Events by their path, and by their job once it is known. */
  readonly #events = new Map<string, SlotEvent>();
  readonly #store = createMemoryStore();
  /** Functions that the receiver processes call. */
  readonly #methods: Readonly<Record<string, (id: string, other: string, ttl: number) => unknown>> =
    {
      /** Returns true if the request is redirected. */
      arrive: (path, job) => {
        const event = this.#eventOf(path);
        this.#events.set(job, event);
        const redirects = event.nextFault === "redirects";
        if (redirects) event.faults += 1;
        event.resume();
        event.slot.arrived(event);
        return redirects;
      },
      claim: (key, owner, ttl) => this.#store.claim(key, owner, ttl),
      release: (key, owner) => this.#store.release(key, owner),
      done: (key, _owner, ttl) => {
        // The key of a claim ends with the job of its event.
        const event = this.#eventOf(key.split(":")[1] ?? "");
        return event.killBeforeDone ? this.#kill(event) : this.#store.done(key, ttl);
      },
      /** Returns true if the handler fails. */
      start: async (job) => {
        const event = this.#eventOf(job);
        const { hangs, isKilled, fails } = event.startHandler();
        if (hangs) {
          await new Promise<void>((resolve) => {
            event.resume = resolve;
          });
        }
        if (isKilled) return this.#kill(event);
        if (fails) event.endHandler(false);
        return fails;
      },
      complete: (job) => this.#eventOf(job).endHandler(true),
      abort: (job) => {
        throw new Error(`${this.#eventOf(job).path}: ${lostClaim}`);
      },
    };

  /** Responds to a call of a receiver process. */
  readonly respond = async ({ method, args }: Call): Promise<Reply> => {
    try {
      return { result: await this.#methods[method]?.(...args) };
    } catch (error) {
      this.errors.push(`${method}: ${String(error)}`);
      return { error: String(error) };
    }
  };

  add(slot: ProcessSlot): void {
    this.slots.push(slot);
    for (const event of slot.events) this.#events.set(event.path, event);
  }

  /** Sends a webhook over the network and records a refused connection. */
  readonly send = async (request: Request): Promise<Response> => {
    const event = this.#eventOf(new URL(request.url).pathname);
    const { slot } = event;
    await slot.ready(event);
    try {
      const response = await fetch(request);
      if (slot.isOpen && event.nextFault === "is down") void this.#kill(event);
      return response;
    } catch (error) {
      if (isConnectionRefused(error)) this.#run(slot.connectionRefused(event));
      throw error;
    }
  };

  async close(): Promise<void> {
    await Promise.all(this.slots.map((slot) => slot.close()));
  }

  #eventOf(id: string): SlotEvent {
    const event = this.#events.get(id);
    if (event === undefined) throw new RangeError(`No event has the path or job ${id}.`);
    return event;
  }

  /** Kills the process of an event, which then gets no reply. */
  #kill(event: SlotEvent): Promise<never> {
    this.#run(event.slot.crash(event));
    return never;
  }

  #run(work: Promise<void>): void {
    work.catch((error: unknown) => this.errors.push(String(error)));
  }
}

function isConnectionRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED";
}
