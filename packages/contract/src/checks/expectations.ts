import { isDeepStrictEqual } from "node:util";

import type { Check, Level } from "../check.ts";
import { must } from "../outcome.ts";
import type { Session } from "../session.ts";
import type { NewKey } from "../target/keys.ts";
import { fieldsOf, type Fields, type HttpResponse } from "../wire/response.ts";

interface CheckRow extends Pick<Check, "title">, Partial<Pick<Check, "level" | "on" | "credits">> {
  readonly rules?: Check["rules"];
  /** Options of a new key to work on, instead of a key of the run. It takes the control API. */
  readonly newKey?: NewKey;
}

interface Run {
  readonly run: (session: Session) => Promise<unknown>;
}

export type Rows<Row> = Readonly<Record<string, CheckRow & Row>>;

export function checkRows(level: Level, credits: number, rows: Rows<Run>): readonly Check[] {
  return checkTable(level, credits, (session, { run }) => run(session), rows);
}

/** Makes checks that run one function with the data of their rows. What costs credits from level `paid` on takes a live key. */
export function checkTable<Data>(
  level: Level,
  credits: number | ((data: Data) => number),
  run: (session: Session, data: Data) => Promise<unknown>,
  rows: Rows<Data>,
): readonly Check[] {
  return Object.entries(rows).map(([id, { newKey, ...row }]) => {
    // The rest has the data.
    const data = row as CheckRow & Data;
    const own = { level, credits: typeof credits === "number" ? credits : credits(data), ...data };
    return {
      rules: [],
      on: own.level === "paid" && own.credits > 0 ? "live" : "any",
      ...own,
      id,
      async run(session) {
        if (newKey !== undefined) session.keys.own = await session.keys.make(newKey);
        await run(session, data);
      },
    };
  });
}

export function rowsFor<Item>(
  items: readonly Item[],
  rowOf: (item: Item) => CheckRow & Pick<Check, "id"> & Run,
): Rows<Run> {
  return Object.fromEntries(items.map(rowOf).map((row) => [row.id, row]));
}

export interface Condition {
  /** Completes "Expected the field to be …". */
  readonly text: string;
  readonly passes: (value: unknown, fields: Fields) => boolean;
}

export type Expectations = Readonly<Record<string, string | number | boolean | Condition>>;

export const absent: Condition = { text: "null or absent", passes: isNone };
export const present: Condition = { text: "present", passes: (value) => !isNone(value) };
export const nonEmptyText: Condition = {
  text: "a string that is not empty",
  passes: (value) => typeof value === "string" && value !== "",
};

export function oneOf(...values: readonly unknown[]): Condition {
  const text = values.map((value) => JSON.stringify(value) ?? "absent").join(" or ");
  return { text, passes: (value) => values.some((one) => isDeepStrictEqual(value, one)) };
}

export function isNone(value: unknown): boolean {
  return value === null || value === undefined;
}

export function mustHave(response: HttpResponse, expected: Expectations, what: string): void {
  const fields = fieldsOf(response.json);
  for (const [name, wanted] of Object.entries(expected)) {
    const { text, passes } = typeof wanted === "object" ? wanted : oneOf(wanted);
    const value = fields[name];
    const isUrl = typeof value === "string" && value.startsWith("http");
    // The URL of a result is signed, so that a message does not show it.
    const actual = isUrl ? "a URL" : (JSON.stringify(value) ?? "no such field");
    const message = `Expected ${name} to be ${text} in ${what}, got ${actual}.`;
    must(passes(value, fields), message, response);
  }
}

export function mustHaveStatus(
  response: HttpResponse,
  expected: number | readonly number[],
  what: string,
): void {
  const statuses = typeof expected === "number" ? [expected] : expected;
  const message = `Expected ${statuses.join(" or ")} for ${what}, got ${response.status}.`;
  must(statuses.includes(response.status), message, response);
}
