import {
  Budget,
  InputError,
  isTryOnError,
  type BudgetLimit,
  type TryOn,
  type TryOnInput,
} from "@tryon/client";

import { isCut } from "../jobs/sync-cut.ts";
import { abortable } from "../http/deadline.ts";
import type { BatchItem } from "./batch-item.ts";
import { Bell } from "./bell.ts";
import { atFirst, breadthAfter, type Breadth } from "./in-flight.ts";
import { JournalCharges } from "./journal-charges.ts";
import { Logbook } from "./logbook.ts";
import { makeOnce } from "./make-once.ts";
import { make } from "./make.ts";
import { MarkedJobs } from "./marked-jobs.ts";
import type { ReadOptions } from "./options.ts";
import { Pacer } from "./pacer.ts";
import { ProgressCount } from "./progress.ts";
import { lengthOf, Source } from "./source.ts";
import { mostContentBlocked, StopRule, stoppingCodes } from "./stop-rule.ts";
import { isTrouble, pushedBackAt } from "./trouble.ts";
import type { End, Task } from "./workplace.ts";

/** One run of a batch: what reads its items, has them made and hands out how they ended. */
export class RunningBatch<Item> {
  readonly #tryon: TryOn;
  readonly #options: ReadOptions<Item>;
  readonly #source: Source<Item>;
  readonly #work: (task: Task) => Promise<End>;
  readonly #pacer: Pacer;
  readonly #rule: StopRule;
  readonly #progress: ProgressCount;
  /** Aborted when nothing else is to be read. */
  readonly #reading = new AbortController();
  /** Aborted when nothing else is to be sent, not even of what has been read. */
  readonly #starting = new AbortController();
  /** Aborted when nobody waits for their items any more. */
  readonly #waits = new Set<AbortController>();
  readonly #tasks = new Set<Promise<void>>();
  readonly #ready: BatchItem<Item>[] = [];
  readonly #changed = new Bell();
  readonly #ids = new Set<string>();
  #breadth: Breadth;
  #isReading = true;
  #count = 0;
  /** How many items have been read and not been started. */
  #unstarted = 0;
  #left: { readonly reason: unknown } | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(
    tryon: TryOn,
    inputs: Iterable<Item> | AsyncIterable<Item>,
    options: ReadOptions<Item>,
  ) {
    const { concurrency = "auto", journal, sync, timeout, total } = options;
    const { stopOn = stoppingCodes, stopAfterContentBlocked = mostContentBlocked } = options;
    this.#tryon = tryon;
    this.#options = options;
    this.#source = new Source(inputs);
    this.#breadth = concurrency === "auto" ? atFirst : { ...atFirst, size: concurrency };
    this.#pacer = new Pacer(tryon, sync !== false, this.#starting.signal);
    this.#rule = new StopRule(stopOn, stopAfterContentBlocked);
    this.#progress = new ProgressCount(tryon.clock.now(), total ?? lengthOf(inputs));
    const budget = budgetOf(options.budget);
    const place = { tryon, budget, sync, timeout };
    const logbook = journal && new Logbook(journal, (error) => this.#stop(error));
    const journaled = logbook && {
      ...place,
      logbook,
      charges: budget && new JournalCharges(tryon, logbook, budget),
      marked: new MarkedJobs(tryon),
      holds: () => this.#pacer.held,
    };
    this.#work = (task) => (journaled ? makeOnce(journaled, task) : make(place, task));
  }

  /** How the items end, in that order. */
  async *results(): AsyncGenerator<BatchItem<Item>, void, undefined> {
    const { signal } = this.#options;
    const onAbort = (): void => this.#leave(signal?.reason);
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();
    const reading = this.#readAll();
    try {
      for (;;) {
        if (this.#left) throw this.#left.reason;
        const item = this.#ready.shift();
        if (item) {
          this.#changed.ring();
          yield item;
        } else if (this.#isReading || this.#tasks.size > 0) {
          await this.#changed.wait();
        } else {
          break;
        }
      }
      if (this.#failure) throw this.#failure.error;
    } finally {
      signal?.removeEventListener("abort", onAbort);
      this.#leave(new DOMException("The batch was left.", "AbortError"));
      await reading;
      await Promise.all(this.#tasks);
    }
  }

  /** Reads nothing else; once everything that has been read has been handed out, the batch ends with that error. */
  #finishWith(error: unknown): void {
    this.#failure ??= { error };
    this.#reading.abort(error);
    this.#changed.ring();
  }

  /** The same, and sends nothing else: what has been read and not been sent gets that error. */
  #stop(error: unknown): void {
    this.#finishWith(error);
    this.#starting.abort(error);
  }

  /** Nobody waits any more. */
  #leave(reason: unknown): void {
    this.#left ??= { reason };
    this.#reading.abort(reason);
    this.#starting.abort(reason);
    for (const wait of this.#waits) wait.abort(reason);
    this.#changed.ring();
  }

  /** Reads one item after the other, each when there is room for it. Never fails. */
  async #readAll(): Promise<void> {
    const { signal } = this.#reading;
    try {
      for (;;) {
        while (!signal.aborted && !this.#hasRoom()) await this.#changed.wait();
        if (signal.aborted) break;
        const next = await abortable(this.#source.next(), signal);
        if (next === undefined) break;
        this.#start(next.item);
      }
    } catch (error) {
      if (!signal.aborted) this.#finishWith(error);
    }
    await this.#source.close();
    this.#isReading = false;
    this.#changed.ring();
  }

  #hasRoom(): boolean {
    return !this.#isFull() && this.#unstarted < this.#pacer.ahead;
  }

  /** Whether as many are in flight, or ended and not read, as may be. */
  #isFull(): boolean {
    return this.#tasks.size + this.#ready.length >= Math.floor(this.#breadth.size);
  }

  #start(input: Item): void {
    const task = this.#finish(input, this.#count).finally(() => {
      this.#tasks.delete(task);
      this.#changed.ring();
    });
    this.#count += 1;
    this.#tasks.add(task);
  }

  /** Does all that there is to do for one item, and puts how it ended where it is handed out. Never fails. */
  async #finish(input: Item, index: number): Promise<void> {
    const wait = new AbortController();
    this.#waits.add(wait);
    this.#unstarted += 1;
    let isStarted = false;
    const started = (): void => {
      if (!isStarted) this.#unstarted -= 1;
      isStarted = true;
      this.#changed.ring();
    };
    const readAt = this.#tryon.clock.now();
    const turn = async (): Promise<void> => {
      this.#pacer.prepared(readAt);
      await this.#pacer.turn();
      started();
    };
    let id = String(index);
    let end: End;
    try {
      id = this.#idOf(input, index);
      const made = await abortable(this.#inputOf(input, index), wait.signal);
      end = await this.#work({ id, input: made, signal: wait.signal, turn });
    } catch (error) {
      end = { error };
    }
    this.#waits.delete(wait);
    this.#learn(end);
    started();
    if (this.#left) return;
    this.#ready.push(itemOf({ id, index, input, fromJournal: end.fromJournal === true }, end));
    this.#tell(end);
  }

  #idOf(input: Item, index: number): string {
    const { id: idOf, journal } = this.#options;
    if (!idOf) return String(index);
    const id: unknown = idOf(input, index);
    if (typeof id !== "string" || id === "") {
      throw new InputError("id", `of the item at ${index} is not a text`, {
        hint: "Nothing was sent: name each item.",
      });
    }
    if (!journal) return id;
    if (this.#ids.has(id)) {
      throw new InputError("id", `${JSON.stringify(id)} of the item at ${index} was given before`, {
        hint: "Nothing was sent: each item of a batch with a journal needs an id of its own.",
      });
    }
    this.#ids.add(id);
    return id;
  }

  async #inputOf(item: Item, index: number): Promise<TryOnInput> {
    const { input } = this.#options;
    // Types ask for `input` where items are none themselves.
    return input ? input(item, index) : (item as TryOnInput);
  }

  /** Takes from how an item ended what that says of the service, and of those to come. */
  #learn(end: End): void {
    const { error, attempts = [], startedAt, job, fromJournal } = end;
    if (this.#left || fromJournal) return;
    const failed = isTrouble(error);
    if (startedAt !== undefined) {
      if (failed) this.#pacer.failed(startedAt);
      else if (job) this.#pacer.succeeded();
      if (attempts.some(isCut)) this.#pacer.held = false;
      if (this.#options.concurrency === undefined || this.#options.concurrency === "auto") {
        this.#breadth = breadthAfter(this.#breadth, {
          now: this.#tryon.clock.now(),
          full: this.#isFull(),
          pushedBackAt: pushedBackAt(attempts),
          failed,
        });
      }
    }
    const stop = this.#rule.after(error);
    // What was let in by the budget before is paid for by it.
    if (stop && isTryOnError(error, "budget_exceeded")) this.#finishWith(stop);
    else if (stop) this.#stop(stop);
  }

  #tell({ result, job, fromJournal = false }: End): void {
    const { onProgress } = this.#options;
    if (!onProgress) return;
    const credits = job?.data.cost_credits;
    this.#progress.add({
      succeeded: result !== undefined,
      fromJournal,
      credits: Number.isFinite(credits) ? (credits ?? 0) : 0,
    });
    try {
      const progress = this.#progress.at(this.#tryon.clock.now(), this.#tasks.size - 1);
      Promise.resolve(onProgress(progress)).catch(() => undefined);
    } catch {
      // What listens to a batch never ends it.
    }
  }
}

/** The budget that all items share. */
function budgetOf(option: Budget | BudgetLimit | undefined): Budget | undefined {
  // That of another copy of the package counts, too.
  return option && "count" in option ? option : option && new Budget(option);
}

type Known<Item> = Pick<BatchItem<Item>, "id" | "index" | "input" | "fromJournal">;

function itemOf<Item>(known: Known<Item>, { result, error, job }: End): BatchItem<Item> {
  if (result) return { ...known, result, error: undefined, job: result.job };
  return {
    ...known,
    result: undefined,
    error: error instanceof Error ? error : new Error(String(error), { cause: error }),
    job: job ?? (isTryOnError(error) ? error.job : undefined),
  };
}
