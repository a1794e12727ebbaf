import type { JobRecord } from "../../store/records.ts";
import type { ServerState } from "../server-states.ts";
import type { State } from "./state.ts";

/** When jobs began, and when what is to come is due. */
export class Times {
  readonly next: State["next"];
  readonly #due: ReadonlyMap<string, number>;
  readonly #service: ServerState["service"];

  constructor({ system, service }: ServerState) {
    const { tasks } = system.scheduler;
    this.#due = new Map(tasks.map(({ kind, id, dueAt }) => [`${kind} ${id}`, dueAt]));
    let first: State["next"] = null;
    for (const { kind, dueAt: at } of tasks) {
      if (first === null || at < first.at) first = { kind, at };
    }
    this.next = first;
    this.#service = service;
  }

  due(kind: "job-end" | "delivery", id: string): number | null {
    return this.#due.get(`${kind} ${id}`) ?? null;
  }

  started({ id, completedAt, durationMs }: JobRecord): number | null {
    if (completedAt !== null) return completedAt - (durationMs ?? 0);
    return this.#service.startedAt(id) ?? null;
  }
}
