import { DatabaseSync } from "node:sqlite";

import { sqliteDialect } from "@tryon/shared/stores/sql-table";
import { onTestFinished } from "vitest";

import {
  batch,
  type BatchItem,
  type CommonOptions,
  type Journal,
  type JournalEntry,
  type SharedJournal,
} from "../src/batch/index.ts";
import type { TryOn, TryOnFields, TryOnInput } from "../src/index.ts";
import { openTableJournal } from "../src/stores/table-journal.ts";
import { cut, input, type Fault, type TestService } from "./service.ts";

export interface MemoryJournal extends Journal {
  readonly entries: Map<string, JournalEntry>;
  readonly puts: JournalEntry[];
}

/** Hooks around each `put`. Their errors make it fail. */
interface Around {
  readonly before?: (entry: JournalEntry) => unknown;
  readonly after?: (entry: JournalEntry) => void;
}

export function memoryJournal({ before, after }: Around = {}): MemoryJournal {
  const entries = new Map<string, JournalEntry>();
  const puts: JournalEntry[] = [];
  return {
    entries,
    puts,
    get: async (id) => entries.get(id),
    list: () => entries.values(),
    put: async (entry) => {
      before?.(entry);
      puts.push(entry);
      // Real journals store text.
      entries.set(entry.id, JSON.parse(JSON.stringify(entry)) as JournalEntry);
      after?.(entry);
    },
  };
}

/** Creates a function that opens a journal in one database, whose clock is that of the service. */
export function openDatabase({ mock }: TestService): (name?: string) => Promise<SharedJournal> {
  const database = new DatabaseSync(":memory:");
  onTestFinished(() => database.close());
  const times = { now: () => mock.clock.now(), monotonic: () => mock.clock.now() };
  return (name = "spring-2027") =>
    openTableJournal("openSqliteJournal", sqliteDialect(database, times), name, {
      createTable: true,
    });
}

/** Collects the values of an async iterable until it throws. */
export async function upTo<Item>(
  items: AsyncIterable<Item>,
): Promise<{ readonly read: Item[]; readonly error: unknown }> {
  const read: Item[] = [];
  try {
    for await (const item of items) read.push(item);
    return { read, error: undefined };
  } catch (error) {
    return { read, error };
  }
}

export interface Order {
  readonly sku: string;
  readonly input: TryOnInput;
}

export const order = (sku: string, fields: TryOnFields = {}): Order => ({
  sku,
  // No test removes the person or the garments.
  input: { ...input, ...fields } as TryOnInput,
});

/** Options of {@link ordersBatch}, and its client: by default, the one of the test. */
interface OrdersOptions extends CommonOptions {
  readonly tryon?: TryOn;
}

export function ordersBatch(
  service: TestService,
  orders: readonly Order[],
  journal: Journal,
  { tryon = service.tryon, ...options }: OrdersOptions = {},
): AsyncGenerator<BatchItem<Order>, void, undefined> {
  return batch(tryon, orders, {
    id: ({ sku }) => sku,
    input: (one) => one.input,
    journal,
    ...options,
  });
}

/** Runs a batch of orders until it ends or throws. */
export function runOrders(
  service: TestService,
  orders: readonly Order[],
  journal: Journal,
  options?: OrdersOptions,
): Promise<{ readonly read: BatchItem<Order>[]; readonly error: unknown }> {
  return service.run(upTo(ordersBatch(service, orders, journal, options)));
}

/** Faults: the service received the submission, and every response was lost. */
export const responseLost = [cut.after, cut.before, cut.before, cut.before];
/** Faults: the service never received the submission. */
export const requestLost = [cut.before, cut.before, cut.before, cut.before];

/** Returns the journal of a batch of one order whose requests had these faults, after that for the rate limit. */
export async function interrupted(
  service: TestService,
  faults: readonly (Fault | undefined)[],
  one = order("a"),
  options: OrdersOptions = {},
): Promise<MemoryJournal> {
  const journal = memoryJournal();
  service.faults.push(undefined, ...faults);
  // A program that starts again has a new client.
  await runOrders(service, [one], journal, { tryon: service.client(), ...options });
  service.faults.length = 0;
  return journal;
}
