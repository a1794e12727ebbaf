import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import type { MockOptions } from "@tryon/mock";

import { deadlyService, type DeadlyService } from "./deadly-service.ts";
import { temporaryFolder } from "./journal-folder.ts";
import type { Ended, Item, Moment, Orders, Said } from "./moments.ts";
import { startProgram, type Program } from "./program.ts";

/** How a batch is to be killed again and again until there is nothing left to kill it for. */
export interface Fate {
  readonly items: readonly Item[];
  readonly server: MockOptions;
  readonly sync: boolean;
  readonly concurrency: number;
  readonly journal: Orders["journal"];
  /** How long after its start it is killed besides, each time once, in milliseconds. */
  readonly anyTime: readonly number[];
  /** How much later it is started again, in milliseconds on its clock and the server's. */
  readonly startedAfter: number;
}

/** What became of it. */
export interface Outcome {
  /** For what it was killed, in this order. */
  readonly kills: readonly (Moment | "at any time")[];
  /** What is wrong, of whichever kill. */
  readonly wrongs: readonly string[];
  /** How its items ended in the last run, by their ids. */
  readonly ended: ReadonlyMap<string, Ended>;
  readonly charges: ReadonlyMap<string, number>;
}

/** Runs a batch, kills it as planned, and runs it again until it has come to its end. */
export async function suffer(fate: Fate, cache: string): Promise<Outcome> {
  const path = join(await temporaryFolder(), "run.ndjson");
  const life = new Life(fate);
  const service = await deadlyService(
    fate.server,
    (id) => life.momentOf(id),
    (id) => life.strike(id),
  );
  const { url, apiKey, time } = service;
  const anyTime = [...fate.anyTime];
  for (let run = 1; ; run += 1) {
    if (run > 3 * fate.items.length) throw new Error("The batch does not come to its end.");
    const { items } = life;
    const { journal, sync, concurrency } = fate;
    const orders: Orders = { url, apiKey, path, time, journal, sync, concurrency, items };
    const program: Program<Said> = startProgram("mortal-batch.ts", [JSON.stringify(orders)], cache);
    const ended = await life.live(program, service, run % 6 === 0 ? anyTime.shift() : undefined);
    if (ended !== undefined) {
      return { kills: life.kills, wrongs: life.wrongs, ended, charges: await service.charges() };
    }
    await service.putForward(fate.startedAfter);
  }
}

/** The runs of one batch, and what they are killed for. */
class Life {
  readonly kills: (Moment | "at any time")[] = [];
  readonly wrongs: string[] = [];
  readonly #all: readonly Item[];
  readonly #left: Map<string, Moment>;
  #killing: (() => Promise<void>) | undefined;
  #dying = Promise.withResolvers<void>();
  #isSafe = false;

  constructor({ items }: Fate) {
    this.#all = items;
    this.#left = new Map(items.flatMap(({ id, moment }) => (moment ? [[id, moment]] : [])));
  }

  /** The items, each with the moment for which the program is still to be killed. */
  get items(): readonly Item[] {
    return this.#all.map((item) => ({ ...item, moment: this.#left.get(item.id) }));
  }

  momentOf(id: string): Moment | undefined {
    return this.#left.get(id);
  }

  /** Lets a program run, and kills it for the first that comes, or some time after its start. */
  async live(
    program: Program<Said>,
    service: DeadlyService,
    killAfter: number | undefined,
  ): Promise<ReadonlyMap<string, Ended> | undefined> {
    this.#dying = Promise.withResolvers();
    this.#killing = () => program.kill();
    this.#isSafe = killAfter !== undefined;
    const late = new AbortController();
    if (killAfter !== undefined) void this.#killLater(killAfter, late.signal);
    for (;;) {
      const said = await program.hear();
      if (said === undefined) break;
      if ("ended" in said) {
        late.abort();
        this.#killing = undefined;
        this.#dying.resolve();
        await program.end;
        return new Map(said.ended.map((one) => [one.id, one]));
      }
      if (this.#killing === undefined || this.#isSafe) continue;
      const { stands: id, moment } = said;
      await this.strike(id);
      const isBefore = moment === "before it is written down" || moment === "before the POST";
      if (isBefore && service.arrived.has(id)) this.wrongs.push(`${id}: it was sent ${moment}`);
      if (!isBefore) await service.isCharged(id);
    }
    const { code, errors } = await program.end;
    if (code !== null) throw new Error(`The batch has failed with ${code}: ${errors}`);
    await this.#dying.promise;
    return undefined;
  }

  /** Kills the program for an item, unless it is dead already or not to be killed for one; resolves when it is dead. */
  async strike(id: string): Promise<void> {
    const moment = this.#left.get(id);
    if (moment !== undefined && this.#killing !== undefined && !this.#isSafe) {
      this.#left.delete(id);
      await this.#kill(moment);
    }
    return this.#dying.promise;
  }

  async #killLater(after: number, signal: AbortSignal): Promise<void> {
    await setTimeout(after, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await this.#kill("at any time");
  }

  async #kill(why: Moment | "at any time"): Promise<void> {
    const kill = this.#killing;
    if (kill === undefined) return;
    this.#killing = undefined;
    this.kills.push(why);
    await kill();
    this.#dying.resolve();
  }
}
