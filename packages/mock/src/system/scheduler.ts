import type { Timer } from "./clock.ts";
import type { ServerStateClock } from "./server-state-clock.ts";

/** Something that the server has to do at a time, said in data: which kind of work, and for what. */
export interface ScheduledTask {
  readonly kind: "job-end" | "delivery";
  /** The id of the job or delivery. */
  readonly id: string;
  readonly dueAt: number;
}

/** What the server has to do later. Unlike a timer, an task can be written down and taken up again. */
export class Scheduler {
  readonly #clock: ServerStateClock;
  readonly #duties = new Map<ScheduledTask["kind"], (id: string) => void>();
  readonly #entries = new Map<string, { task: ScheduledTask; timer: Timer }>();

  constructor(clock: ServerStateClock) {
    this.#clock = clock;
  }

  /** Says what is done when an task of this kind comes. */
  on(kind: ScheduledTask["kind"], duty: (id: string) => void): void {
    this.#duties.set(kind, duty);
  }

  /** Adds an task, in place of one of the same kind and id. */
  add(task: ScheduledTask): void {
    const { kind, id, dueAt } = task;
    const name = `${kind} ${id}`;
    this.#clock.clearTimeout(this.#entries.get(name)?.timer);
    this.#entries.delete(name);
    const timer = this.#clock.setTimeout(() => {
      this.#entries.delete(name);
      this.#duties.get(kind)?.(id);
    }, dueAt - this.#clock.now());
    this.#entries.set(name, { task, timer });
  }

  /** In the order in which they were added, which decides between those of one instant. */
  get tasks(): readonly ScheduledTask[] {
    return Array.from(this.#entries.values(), ({ task }) => task);
  }
}
