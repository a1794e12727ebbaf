import { expect, test } from "vitest";

import { printable, printableLine } from "./printable.ts";

test.each([
  ["\u001B[2Jgone", String.raw`\u001b[2Jgone`],
  ["a\u0000b\u007Fc", String.raw`a\u0000b\u007fc`],
  ["\u202Eback", String.raw`\u202eback`],
  ["\uD800", String.raw`\ud800`],
  ["\u{E0001}", String.raw`\u{e0001}`],
  ["a\rb", String.raw`a\u000db`],
  ["tab\tand\nline, é, 日本, 🧥, 👩‍🦰", "tab\tand\nline, é, 日本, 🧥, 👩‍🦰"],
])("%j can be shown to people: %s", (text, shown) => {
  expect(printable(text)).toBe(shown);
});

test("a line is one line", () => {
  expect(printableLine(" a\n  b\tc ")).toBe("a b c");
});
