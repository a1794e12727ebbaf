import { expect, it } from "vitest";

import { shownPages } from "./code/pages.ts";

/** A shorter paragraph can introduce several blocks of code, such as "With node:test:". */
const minLength = 40;

/** Headings, paragraphs, lists and tables that a page has more than once. Code and the CLI reference may repeat. */
function repeatedIn(page: string): readonly string[] {
  const prose = page.replaceAll(/^(`{3,}).*\n[^]*?^\1$|<!-- commands -->[^]*<!-- end/gm, "");
  const passages = prose.split(/\n\s*\n/).map((passage) => passage.trim().replace(/^#+ /, "# "));
  return passages
    .filter((passage) => passage.startsWith("# ") || passage.length >= minLength)
    .filter((passage, index, all) => all.indexOf(passage) !== index);
}

const paragraph = "The proxy responds with 401 if no user is signed in.";

it.each(["## Limits\n\nSome text.\n\n### Limits", `${paragraph}\n\n${paragraph}`])(
  "detects the repeated text in %j",
  (page) => {
    expect(repeatedIn(page)).toHaveLength(1);
  },
);

it("repeats no heading and no paragraph within a page", async () => {
  const repeated = (await shownPages()).flatMap(({ path, text }) =>
    repeatedIn(text).map((passage) => `${path}: ${passage.slice(0, 80)}`),
  );
  expect(repeated).toEqual([]);
});
