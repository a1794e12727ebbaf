import { describe, expect, it } from "vitest";

import { createWorld, input } from "../testing/world.ts";
import { batch, type Journal, type JournalEntry } from "./index.ts";

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe("a batch", () => {
  it("makes each item", async () => {
    const { run, tryon, mock, sent } = createWorld({ latency: "3s" });
    const items = await run(
      all(
        batch(
          tryon,
          Array.from({ length: 30 }, () => input),
        ),
      ),
    );
    expect(items.map(({ error }) => error)).toEqual(items.map(() => undefined));
    expect(items.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual([...items.keys()]);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(1_000 - 240);
    expect(sent.length).toBe(31);
  });

  it("takes what was done from its journal, without a request", async () => {
    const { run, tryon, mock, sent } = createWorld({ latency: "3s" });
    const entries = new Map<string, JournalEntry>();
    const journal: Journal = {
      get: async (id) => entries.get(id),
      put: async (entry) => void entries.set(entry.id, entry),
    };
    const inputs = Array.from({ length: 30 }, (_, index) => ({ sku: `s${index}` }));
    const go = () =>
      run(
        all(
          batch(tryon, inputs, {
            journal,
            id: ({ sku }) => sku,
            input: () => input,
          }),
        ),
      );
    const items = await go();
    expect(items.map(({ error }) => error)).toEqual(items.map(() => undefined));
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(1_000 - 240);
    const count = sent.length;
    const again = await go();
    expect(again.map(({ error }) => error)).toEqual(items.map(() => undefined));
    expect(sent).toHaveLength(count);
  });
});
