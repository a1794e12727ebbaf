import type { FaultPlan } from "../faults.ts";
import { PlannedEvent } from "../planned-event.ts";
import type { ReceiverProcess } from "./receiver-process.ts";

/** One event of a slot. */
export class SlotEvent extends PlannedEvent {
  readonly slot: ProcessSlot;
  readonly path: string;
  /** Resumes a handler that hangs until the service sends the next attempt. */
  resume = (): void => undefined;

  constructor(slot: ProcessSlot, path: string) {
    super(slot.plan);
    this.slot = slot;
    this.path = path;
  }
}

/**
 * A port where one receiver process follows another. A kill stops all handlers, so all events of a slot have the same
 * faults, and the process is killed when all events have reached that fault.
 */
export class ProcessSlot {
  readonly plan: FaultPlan;
  readonly events: readonly SlotEvent[];
  port = 0;
  readonly #processes: ReceiverProcess[] = [];
  readonly #waiting = new Set<SlotEvent>();
  #current: ReceiverProcess | undefined;
  #change: Promise<void> = Promise.resolve();
  #allWait = Promise.withResolvers<void>();
  readonly #arrived = new Set<SlotEvent>();
  readonly #allArrived = Promise.withResolvers<void>();

  constructor(name: string, plan: FaultPlan, events: number) {
    this.plan = plan;
    this.events = Array.from(
      { length: events },
      (_, index) => new SlotEvent(this, `/${name}/${index}`),
    );
  }

  /** Starts the processes for all faults, so that no later start keeps the machine busy. The first one listens. */
  async open(start: () => Promise<ReceiverProcess>): Promise<void> {
    const replaced = this.plan.filter(
      (fault, index) =>
        fault.includes("killed") ||
        (fault === "is down" && this.plan[index - 1]?.includes("killed") !== true),
    );
    this.#processes.push(...(await Promise.all([start(), ...replaced.map(start)])));
    await this.#listen();
    if (this.plan[0] === "is down") await this.#kill();
  }

  /**
   * Resolves when an event may be sent: while no process is being replaced, and, after the event has reached a
   * replacement, when all other events have too. No attempt then meets the state of another fault.
   */
  async ready(event: SlotEvent): Promise<void> {
    if (this.#waiting.has(event)) await this.#allWait.promise;
    await this.#change;
  }

  /** Resolves when each event was sent to the port for the first time. */
  get allArrived(): Promise<void> {
    return this.#allArrived.promise;
  }

  arrived(event: SlotEvent): void {
    this.#arrived.add(event);
    if (this.#arrived.size === this.events.length) this.#allArrived.resolve();
  }

  get isOpen(): boolean {
    return this.#current !== undefined;
  }

  /** Replaces the process when all events have reached the kill. */
  crash(event: SlotEvent): Promise<void> {
    return this.#whenAll(event, async () => {
      await this.#kill();
      if (event.nextFault !== "is down") await this.#listen();
    });
  }

  /** Listens again when the connections of all events were refused. */
  async connectionRefused(event: SlotEvent): Promise<void> {
    if (this.isOpen || event.nextFault !== "is down") {
      throw new Error(`${event.path}: the connection was refused without a planned fault.`);
    }
    event.faults += 1;
    this.arrived(event);
    return this.#whenAll(event, () => this.#listen());
  }

  async close(): Promise<void> {
    await this.#current?.kill();
    await Promise.all(this.#processes.map((receiver) => receiver.kill()));
  }

  async #whenAll(event: SlotEvent, change: () => Promise<void>): Promise<void> {
    this.#waiting.add(event);
    if (this.#waiting.size < this.events.length) return;
    const { resolve } = this.#allWait;
    this.#allWait = Promise.withResolvers();
    this.#waiting.clear();
    this.#change = change();
    resolve();
    await this.#change;
  }

  async #listen(): Promise<void> {
    const receiver = this.#processes.shift();
    if (receiver === undefined) throw new Error("All processes of this slot were killed.");
    this.port = await receiver.listen(this.port);
    this.#current = receiver;
  }

  async #kill(): Promise<void> {
    const receiver = this.#current;
    this.#current = undefined;
    for (const event of this.events) event.killed();
    await receiver?.kill();
  }
}
