import type { Reporter, TestModule } from "vitest/node";

/** Ends a run with one plain line of counts, which any continuous-integration log can be searched for. */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== "pending") counts[state] += 1;
      }
      if (module.errors().length > 0) counts.failed += 1;
    }
    process.stdout.write(
      `Tests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`,
    );
  }
}
