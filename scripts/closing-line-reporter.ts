import type { Reporter, TestModule } from "vitest/node";

/** Begins and ends a run with its seed, if it is new, and ends it with the failed tests and one plain line of counts. */
export default class ClosingLineReporter implements Reporter {
  onTestRunStart(): void {
    const { TRYON_SEED: seed } = process.env;
    if (seed !== undefined)
      process.stdout.write(`Seed ${seed}: TRYON_SEED=${seed} runs the same cases again\n`);
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): void {
    const inState = (state: "passed" | "failed" | "skipped"): readonly string[] =>
      modules.flatMap(({ children, relativeModuleId }) =>
        [...children.allTests(state)].map(({ fullName }) => `${relativeModuleId} > ${fullName}`),
      );
    const broken = modules.filter((module) => module.errors().length > 0);
    const failed = [
      ...inState("failed"),
      ...broken.map(({ relativeModuleId }) => `${relativeModuleId} (the file itself)`),
      ...errors.map(() => "error outside of any test"),
    ];
    const counts = `${inState("passed").length} passed, ${failed.length} failed, ${inState("skipped").length} skipped`;
    this.onTestRunStart();
    for (const name of failed) process.stdout.write(`Failed: ${name}\n`);
    process.stdout.write(`Tests: ${counts}\n`);
  }
}
