import { installing } from "@tryon/test-kit/app-folder";
import { afterAll, beforeAll, expect, it } from "vitest";

import { isProgram, type Block } from "./blocks.ts";
import type { Check } from "./checks.ts";
import { isOutput } from "./output.ts";
import type { ShownPage } from "./pages.ts";
import { openPrograms, type Programs } from "./programs.ts";

/** Time limit of one program on a busy machine, in milliseconds. */
export const timeout = 180_000;

/** Pages whose own test runs every program, as a reader would. */
export const ownTests: ReadonlySet<string> = new Set(["docs/guides/get-started.md"]);

export interface ShownProgram {
  readonly place: string;
  readonly name: string;
  readonly snippet: Block;
  /** Undefined without a check and without an output. */
  readonly check: Check | undefined;
  /** If true, it has both a check and an output, and only the check would run. */
  readonly hasTwoChecks: boolean;
}

export function placeOf({ page, line }: Block): string {
  return `${page}:${line}`;
}

export function programsOf(pages: readonly ShownPage[]): readonly ShownProgram[] {
  return pages.flatMap(({ checks, blocks }) =>
    blocks.filter(isProgram).map((snippet) => {
      const own = checks[snippet.name];
      const printed = snippet.output === undefined ? undefined : printsOutput;
      const hasTwoChecks = own !== undefined && printed !== undefined;
      const check = own ?? printed;
      return { place: placeOf(snippet), name: snippet.name, snippet, check, hasTwoChecks };
    }),
  );
}

export function runs(programs: readonly ShownProgram[]): void {
  let place: Programs;

  beforeAll(async () => {
    place = await openPrograms();
  }, installing);

  afterAll(() => place.close());

  const ours = programs.filter(({ snippet }) => !ownTests.has(snippet.page));
  it.each(ours)("runs: $name of $place", { timeout }, async ({ snippet, check }) => {
    expect.hasAssertions();
    await check?.(await place.contextOf(snippet));
  });
}

const printsOutput: Check = async ({ snippet, run }) => {
  const { output = "", code } = snippet;
  const printed = await run(code);
  // Compares the texts if they differ, so that the failure shows the difference.
  expect(isOutput(output, printed) ? output : printed).toBe(output);
};
