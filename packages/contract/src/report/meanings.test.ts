import { optionTable, type OptionRow } from "@tryon/mock";
import { expect, test } from "vitest";

import { meanings } from "./meanings.ts";

test("every value of every open point that can be observed has its meaning, and nothing else has", () => {
  const rows: readonly OptionRow[] = optionTable;
  const observable = rows.filter((row) => row.observable);
  const values = Object.entries(meanings).map(([id, known]) => [id, Object.keys(known).toSorted()]);
  expect(Object.fromEntries(values)).toEqual(
    Object.fromEntries(observable.map((row) => [row.id, row.values.map(String).toSorted()])),
  );
});
