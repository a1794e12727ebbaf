import { afterAll, beforeAll, expect, it } from "vitest";

import { isProgram, type Block } from "./blocks.ts";
import type { Check } from "./checks.ts";
import { isOutput } from "./output.ts";
import type { ShownPage } from "./pages.ts";
import { Programs } from "./programs.ts";

/** Milliseconds for one program on a busy machine. */
export const timeout = 180_000;

/** A program of a page, and what looks at it. */
export interface ShownProgram {
  /** Page and line. */
  readonly place: string;
  readonly name: string;
  readonly snippet: Block;
  /** Absent where neither a check nor what it prints is there. */
  readonly check: Check | undefined;
  /** Whether it has both, of which one would be forgotten. */
  readonly twice: boolean;
}

export function placeOf({ page, line }: Block): string {
  return `${page}:${line}`;
}

export function programsOf(pages: readonly ShownPage[]): readonly ShownProgram[] {
  return pages.flatMap(({ checks, blocks }) =>
    blocks.filter(isProgram).map((snippet) => {
      const own = checks[snippet.name];
      const printed = snippet.output === undefined ? undefined : printsWhatIsShown;
      const twice = own !== undefined && printed !== undefined;
      const check = own ?? printed;
      return { place: placeOf(snippet), name: snippet.name, snippet, check, twice };
    }),
  );
}

/** Makes a test of each program. */
export function runs(programs: readonly ShownProgram[]): void {
  let place: Programs;

  beforeAll(async () => {
    place = await Programs.open();
  });

  afterAll(async () => {
    await place.close();
  });

  it.each(programs)("runs: $name of $place", { timeout }, async ({ snippet, check }) => {
    expect.hasAssertions();
    await check?.(await place.contextOf(snippet));
  });
}

const printsWhatIsShown: Check = async ({ snippet, run }) => {
  const { output = "", code } = snippet;
  const printed = await run(code);
  // Compared as text where they differ, so that the difference is shown.
  expect(isOutput(output, printed) ? output : printed).toBe(output);
};
