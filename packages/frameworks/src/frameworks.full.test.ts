import { installing } from "@tryon/test-kit/app-folder";
import { expect, it } from "vitest";

import { resultOf } from "./page.ts";
import { rows } from "./rows.ts";
import { runRow } from "./run-row.ts";

it.each(rows.filter(({ isPinned }) => isPinned))(
  "$title with the versions of the page gives the results of the page",
  async (row) => {
    const result = resultOf(row);
    expect(await runRow(row, result?.versions)).toEqual(result);
  },
  installing,
);
