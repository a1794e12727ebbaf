import type { Plan, Fault } from "../faults.ts";
import type { ReceiverProcess } from "./receiver-process.ts";

/** One event of a seat, and what has become of it. */
export interface SlotEvent {
  readonly path: string;
  ends: number;
  endsUnnoted: number;
  mostAtOnce: number;
  atWork: number;
  /** How many of the troubles of its seat have befallen it. */
  troubles: number;
  /** Lets a handler go on that hangs until the service has sent the next attempt. */
  goOn: () => void;
  diesAtNote: boolean;
}

/**
 * A place behind one port, where a receiver lives, is killed and is followed by another. All events that come to it have
 * the same troubles, so that a kill, which takes all handlers down, is one for each of them: it falls when all have come
 * to it.
 */
export class ProcessSlot {
  readonly plan: Plan;
  readonly events: readonly SlotEvent[];
  port = 0;
  readonly #receivers: ReceiverProcess[] = [];
  readonly #there = new Set<SlotEvent>();
  #living: ReceiverProcess | undefined;
  #change: Promise<void> = Promise.resolve();
  #gathering = Promise.withResolvers<void>();
  readonly #arrivals = new Set<SlotEvent>();
  readonly #begun = Promise.withResolvers<void>();

  constructor(name: string, plan: Plan, events: number) {
    this.plan = plan;
    this.events = Array.from({ length: events }, (_, index) => ({
      path: `/${name}/${index}`,
      ends: 0,
      endsUnnoted: 0,
      mostAtOnce: 0,
      atWork: 0,
      troubles: 0,
      goOn: () => undefined,
      diesAtNote: false,
    }));
  }

  /** What befalls an event next. */
  comingTo(event: SlotEvent): Fault | undefined {
    return this.plan[event.troubles];
  }

  /** Starts all receivers that there will be, so that no start of one keeps the machine busy later; one listens. */
  async open(start: () => Promise<ReceiverProcess>): Promise<void> {
    const deaths = this.plan.filter(
      (trouble, at) =>
        trouble.includes("killed") ||
        (trouble === "is down" && this.plan[at - 1]?.includes("killed") !== true),
    );
    const started = await Promise.all([start(), ...deaths.map(start)]);
    this.#receivers.push(...started);
    await this.#rise();
    if (this.plan[0] === "is down") await this.#takeDown();
  }

  /**
   * Resolves when an event may be sent: when nobody is being taken down or about to listen, and, for one that has come
   * to where the receiver is taken down or put up, when all others have and it is done. However far apart the attempts
   * of the others are, none of them then finds the seat in a state that was planned for the one before.
   */
  async mayBeSent(event: SlotEvent): Promise<void> {
    if (this.#there.has(event)) await this.#gathering.promise;
    await this.#change;
  }

  /** Resolves when each event has been sent to the port for the first time. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  arrived(event: SlotEvent): void {
    this.#arrivals.add(event);
    if (this.#arrivals.size === this.events.length) this.#begun.resolve();
  }

  get isOpen(): boolean {
    return this.#living !== undefined;
  }

  /** An event has come to where the receiver is taken down; when all have, it is. */
  readyToDie(event: SlotEvent): Promise<void> {
    return this.#whenAll(event, async () => {
      await this.#takeDown();
      if (this.comingTo(event) !== "is down") await this.#rise();
    });
  }

  /** An event has met a closed port; when all have, somebody listens again. */
  async metClosedPort(event: SlotEvent): Promise<void> {
    if (this.isOpen || this.comingTo(event) !== "is down") {
      throw new Error(`${event.path}: the port was closed, and was not to be.`);
    }
    event.troubles += 1;
    this.arrived(event);
    return this.#whenAll(event, () => this.#rise());
  }

  async close(): Promise<void> {
    await this.#living?.kill();
    await Promise.all(this.#receivers.map((receiver) => receiver.kill()));
  }

  async #whenAll(event: SlotEvent, change: () => Promise<void>): Promise<void> {
    this.#there.add(event);
    if (this.#there.size < this.events.length) return;
    const { resolve } = this.#gathering;
    this.#gathering = Promise.withResolvers();
    this.#there.clear();
    this.#change = change();
    resolve();
    await this.#change;
  }

  async #rise(): Promise<void> {
    const receiver = this.#receivers.shift();
    if (receiver === undefined) throw new Error("All receivers of this seat have died.");
    this.port = await receiver.listen(this.port);
    this.#living = receiver;
  }

  async #takeDown(): Promise<void> {
    const receiver = this.#living;
    this.#living = undefined;
    for (const event of this.events) event.atWork = 0;
    await receiver?.kill();
  }
}
