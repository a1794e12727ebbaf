import { expect, test } from "vitest";

import { wrap } from "./wrap.ts";

test.each([
  ["a line that fits", "a bc d", "a bc d"],
  ["words", "Change the image, or use a new id.", "Change the image, or\nuse a new id."],
  ["each line on its own", "one two three four five\n\nsix", "one two three four\nfive\n\nsix"],
  ["words below an indent", "  one two three four five", "  one two three four\n  five"],
  ["words below the text of a list", "  12  one two three four", "  12  one two three\n      four"],
  ["words below the last column", "ok  a b  one two three", "ok  a b  one two\n         three"],
  [
    "a command with backslashes",
    "  tryon run --json --size 2K -o a.png",
    "  tryon run --json \\\n    --size 2K \\\n    -o a.png",
  ],
  [
    "a word that is too long",
    "see https://shop.example/a/b/c x",
    "see\nhttps://shop.example/a/b/c\nx",
  ],
  [
    "colors, which have no width",
    "\u001B[1mone two three four\u001B[22m",
    "\u001B[1mone two three four\u001B[22m",
  ],
])("wraps %s", (_what, text, wrapped) => {
  expect(wrap(text, 20)).toBe(wrapped);
});
