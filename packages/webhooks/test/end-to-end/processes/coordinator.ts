import { createMemoryStore } from "../../../src/index.ts";
import type { ProcessSlot, SlotEvent } from "./process-slot.ts";
import type { Call, CallResult } from "./receiver-process.ts";

/** An event and its slot. */
interface Place {
  readonly slot: ProcessSlot;
  readonly event: SlotEvent;
}

const never = new Promise<never>(() => undefined);
const lostClaim =
  "the claim was lost during the handler: a process was suspended for two thirds of claimTtl, or the store granted the claim again.";

/** The shared store of all receiver processes, and the faults of their events. */
export class Coordinator {
  readonly slots: ProcessSlot[] = [];
  /** Errors that no plan has. */
  readonly errors: string[] = [];
  readonly #places = new Map<string, Place>();
  readonly #paths = new Map<string, string>();
  readonly #store = createMemoryStore();

  /** Responds to a call, with `undefined` after an error. */
  readonly respond = async (call: Call): Promise<CallResult | undefined> => {
    try {
      return await this.#respond(call);
    } catch (error) {
      this.errors.push(`${call.method}: ${String(error)}`);
      return undefined;
    }
  };

  add(slot: ProcessSlot): void {
    this.slots.push(slot);
    for (const event of slot.events) this.#places.set(event.path, { slot, event });
  }

  /** Sends a webhook over the network and records a refused connection. */
  readonly send = async (request: Request): Promise<Response> => {
    const { slot, event } = this.#placeOf(new URL(request.url).pathname);
    await slot.ready(event);
    try {
      const response = await fetch(request);
      if (slot.isOpen && event.nextFault === "is down") this.#run(slot.crash(event));
      return response;
    } catch (error) {
      if (isConnectionRefused(error)) this.#run(slot.connectionRefused(event));
      throw error;
    }
  };

  async close(): Promise<void> {
    await Promise.all(this.slots.map((slot) => slot.close()));
  }

  async #respond({ method, params }: Call): Promise<CallResult> {
    const { path, job, key, owner, ttl } = params;
    if (method === "arrive") {
      this.#paths.set(job, path);
      return this.#arrive(this.#placeOf(path));
    }
    if (method === "claim") return { state: await this.#store.claim(key, owner, ttl) };
    if (method === "release") {
      await this.#store.release(key, owner);
      return {};
    }
    // The key of a claim ends with the job of its event.
    const place = this.#placeOf(this.#paths.get(job ?? key.split(":")[1]) ?? "");
    const { slot, event } = place;
    if (method === "start") return this.#start(place);
    if (method === "complete") event.endHandler(true);
    else if (method === "abort") throw new Error(`${event.path}: ${lostClaim}`);
    else if (method !== "done") throw new Error("Unknown method.");
    else if (event.killBeforeDone) {
      this.#run(slot.crash(event));
      return never;
    } else await this.#store.done(key, ttl);
    return {};
  }

  #arrive({ slot, event }: Place): CallResult {
    const redirects = event.nextFault === "redirects";
    if (redirects) event.faults += 1;
    event.resume();
    slot.arrived(event);
    return { redirects };
  }

  async #start({ slot, event }: Place): Promise<CallResult> {
    const fault = event.startHandler();
    if (fault?.startsWith("hangs")) {
      await new Promise<void>((resolve) => {
        event.resume = resolve;
      });
    }
    if (fault === "is killed" || fault === "hangs and is killed") {
      this.#run(slot.crash(event));
      return never;
    }
    const fails = fault === "fails" || fault === "hangs and fails";
    if (fails) event.endHandler(false);
    return { fails };
  }

  #placeOf(path: string): Place {
    const place = this.#places.get(path);
    if (place === undefined) throw new RangeError(`No event has the path ${path}.`);
    return place;
  }

  #run(work: Promise<void>): void {
    work.catch((error: unknown) => this.errors.push(String(error)));
  }
}

function isConnectionRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED";
}
