import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take longest on any machine. One that begins last would run alone at the end. */
const long =
  /(?:consumer-tests\/src\/ci|scripts\/release|docs\/site\/site|docs\/code\/code|session\/session|webhook-stores\/src\/receivers|end-to-end\/killed|scripts\/packages|scripts\/checks|contract\/src\/checks\/mutants)(?:\.full)?\.test\.ts$/;

/** Orders files by their time in an earlier run, or by their size, and begins with those that are known to be long. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- It returns a promise of a new array.
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => Number(long.test(b.moduleId)) - Number(long.test(a.moduleId)));
  }
}
