import areas from "./mutation.json" with { type: "json" };

const { mutate, min } = areas[process.env.TRYON_AREA];

export default {
  testRunner: "vitest",
  vitest: { configFile: "scripts/vitest.mutation.config.ts", related: false },
  mutate,
  ignorePatterns: ["/docs", "/examples", "/tsconfig.json"],
  tempDirName: "node_modules/.stryker",
  coverageAnalysis: "perTest",
  disableTypeChecks: false,
  concurrency: 2,
  reporters: ["progress-append-only", "clear-text"],
  clearTextReporter: { allowColor: false, reportTests: false },
  thresholds: { high: 100, low: min, break: min },
};
