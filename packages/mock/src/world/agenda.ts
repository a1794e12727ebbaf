import type { Timer } from "./clock.ts";
import type { EpochClock } from "./epoch-clock.ts";

/** Something that the server has to do at a time, said in data: which kind of work, and for what. */
export interface Appointment {
  readonly kind: "job-end" | "delivery";
  /** The id of the job or delivery. */
  readonly id: string;
  readonly dueAt: number;
}

/** What the server has to do later. Unlike a timer, an appointment can be written down and taken up again. */
export class Agenda {
  readonly #clock: EpochClock;
  readonly #duties = new Map<Appointment["kind"], (id: string) => void>();
  readonly #entries = new Map<string, { appointment: Appointment; timer: Timer }>();

  constructor(clock: EpochClock) {
    this.#clock = clock;
  }

  /** Says what is done when an appointment of this kind comes. */
  on(kind: Appointment["kind"], duty: (id: string) => void): void {
    this.#duties.set(kind, duty);
  }

  /** Adds an appointment, in place of one of the same kind and id. */
  add(appointment: Appointment): void {
    const { kind, id, dueAt } = appointment;
    const name = `${kind} ${id}`;
    this.#clock.clearTimeout(this.#entries.get(name)?.timer);
    this.#entries.delete(name);
    const timer = this.#clock.setTimeout(() => {
      this.#entries.delete(name);
      this.#duties.get(kind)?.(id);
    }, dueAt - this.#clock.now());
    this.#entries.set(name, { appointment, timer });
  }

  /** In the order in which they were added, which decides between those of one instant. */
  get appointments(): readonly Appointment[] {
    return Array.from(this.#entries.values(), ({ appointment }) => appointment);
  }
}
