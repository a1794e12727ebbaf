import { createMemoryStore } from "../../../src/index.ts";
import type { ProcessSlot, SlotEvent } from "./process-slot.ts";

/** What a receiver is told when it asks. */
export interface ProcessResponse {
  readonly state?: string;
  readonly redirects?: boolean;
  readonly fails?: boolean;
}

/** What a receiver asks. */
export interface ProcessRequest {
  readonly about: string;
  readonly said: Said;
}

/** What a receiver says when it asks; each question has some of it. */
interface Said {
  readonly path: string;
  readonly job: string;
  readonly key: string;
  readonly owner: string;
  readonly ttl: number;
}

const never = new Promise<never>(() => undefined);
const standstill =
  "the claim was lost while the handler was at work: the receiver or this process stood still for two thirds of claimTtl, or the store gave the claim to another.";

/** What outlives the receivers: the store that they share, and the one who knows what is to befall which event. */
export class Coordinator {
  readonly seats: ProcessSlot[] = [];
  /** What happened and was in no plan. */
  readonly mishaps: string[] = [];
  readonly #events = new Map<string, { readonly seat: ProcessSlot; readonly event: SlotEvent }>();
  readonly #jobs = new Map<string, string>();
  readonly #store = createMemoryStore();

  /** Tells a receiver what it asks, or nothing where that is in no plan. */
  readonly tell = async ({ about, said }: ProcessRequest): Promise<ProcessResponse | undefined> => {
    try {
      return await this.#tell(about, said);
    } catch (error) {
      this.mishaps.push(`${about}: ${String(error)}`);
      return undefined;
    }
  };

  seat(seat: ProcessSlot): void {
    this.seats.push(seat);
    for (const event of seat.events) this.#events.set(event.path, { seat, event });
  }

  /** Sends a webhook over the network, and notes what comes of it. */
  readonly send = async (request: Request): Promise<Response> => {
    const { seat, event } = this.#at(new URL(request.url).pathname);
    await seat.mayBeSent(event);
    try {
      const answer = await fetch(request);
      if (seat.isOpen && seat.comingTo(event) === "is down") this.#hear(seat.readyToDie(event));
      return answer;
    } catch (error) {
      if (isRefusal(error)) this.#hear(seat.metClosedPort(event));
      throw error;
    }
  };

  async close(): Promise<void> {
    await Promise.all(this.seats.map((seat) => seat.close()));
  }

  async #tell(about: string, said: Said): Promise<ProcessResponse> {
    if (about === "arrives") {
      this.#jobs.set(said.job, said.path);
      return this.#arrives(this.#at(said.path));
    }
    if (about === "claim") {
      return { state: await this.#store.claim(said.key, said.owner, said.ttl) };
    }
    if (about === "release") {
      await this.#store.release(said.key, said.owner);
      return {};
    }
    // The key of a claim ends with the job of its event.
    const place = this.#at(this.#jobs.get(said.job ?? said.key.split(":")[1]) ?? "");
    if (about === "begins") return this.#begins(place);
    if (about === "ends") return this.#ends(place.event);
    if (about === "loses") throw new Error(`${place.event.path}: ${standstill}`);
    if (about === "done") return this.#notes(place, said);
    throw new Error("There is no such question.");
  }

  #arrives({ seat, event }: { seat: ProcessSlot; event: SlotEvent }): ProcessResponse {
    const redirects = seat.comingTo(event) === "redirects";
    if (redirects) event.troubles += 1;
    event.goOn();
    seat.arrived(event);
    return { redirects };
  }

  async #begins({
    seat,
    event,
  }: {
    seat: ProcessSlot;
    event: SlotEvent;
  }): Promise<ProcessResponse> {
    const trouble = seat.comingTo(event);
    if (trouble !== undefined) event.troubles += 1;
    event.atWork += 1;
    event.mostAtOnce = Math.max(event.mostAtOnce, event.atWork);
    if (trouble?.startsWith("hangs")) {
      await new Promise<void>((resolve) => {
        event.goOn = resolve;
      });
    }
    if (trouble === "is killed" || trouble === "hangs and is killed") {
      this.#hear(seat.readyToDie(event));
      return never;
    }
    event.diesAtNote = trouble === "is killed before the note";
    const fails = trouble === "fails" || trouble === "hangs and fails";
    if (fails) event.atWork -= 1;
    return { fails };
  }

  #ends(event: SlotEvent): ProcessResponse {
    event.ends += 1;
    event.atWork -= 1;
    return {};
  }

  async #notes(
    { seat, event }: { seat: ProcessSlot; event: SlotEvent },
    said: Said,
  ): Promise<ProcessResponse> {
    if (event.diesAtNote) {
      event.diesAtNote = false;
      event.endsUnnoted += 1;
      this.#hear(seat.readyToDie(event));
      return never;
    }
    await this.#store.done(said.key, said.ttl);
    return {};
  }

  #at(path: string): { readonly seat: ProcessSlot; readonly event: SlotEvent } {
    const found = this.#events.get(path);
    if (found === undefined) throw new RangeError(`There is no event for ${path}.`);
    return found;
  }

  #hear(work: Promise<void>): void {
    work.catch((error: unknown) => this.mishaps.push(String(error)));
  }
}

function isRefusal(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED";
}
