import type { Reporter, TestModule } from "vitest/node";

/** Begins and ends a run with its seed, if it is new, and ends it with the failed tests and one plain line of counts. */
export default class ClosingLineReporter implements Reporter {
  onTestRunStart(): void {
    const { TRYON_SEED: seed } = process.env;
    if (seed !== undefined)
      process.stdout.write(`Seed ${seed}: TRYON_SEED=${seed} runs the same cases again\n`);
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    const failed: string[] = [];
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== "pending") counts[state] += 1;
        if (state === "failed") failed.push(`${module.relativeModuleId} > ${test.fullName}`);
      }
      if (module.errors().length === 0) continue;
      counts.failed += 1;
      failed.push(`${module.relativeModuleId} (the file itself)`);
    }
    if (errors.length > 0) {
      counts.failed += errors.length;
      failed.push(`${errors.length} errors outside of any test`);
    }
    this.onTestRunStart();
    for (const name of failed) process.stdout.write(`Failed: ${name}\n`);
    process.stdout.write(
      `Tests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`,
    );
  }
}
