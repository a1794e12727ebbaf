import { defineConfig } from "vitest/config";

// Tests import the packages by name and get their sources: nothing has to be built first.
const sourceFirst = {
  resolve: { conditions: ["@tryon/source", "module", "browser", "development|production"] },
  ssr: { resolve: { conditions: ["@tryon/source", "module", "node", "development|production"] } },
};

// `*.full.test.ts` is what is slow or needs a browser or a server: `npm run test:full`.
const full = process.env["TRYON_TESTS"] === "full";

const project = (
  name: string,
  root: string,
  own: {
    env?: Record<string, string>;
    include?: string[];
    exclude?: string[];
    groupOrder?: number;
    maxWorkers?: number | string;
    globalSetup?: string;
  } = {},
) => ({
  ...sourceFirst,
  test: {
    name,
    root,
    env: own.env ?? {},
    environment: "node" as const,
    include: own.include ?? (full ? ["**/*.full.test.ts"] : ["**/*.test.ts"]),
    exclude: [
      "**/node_modules/**",
      "**/dist/**",
      ...(full ? [] : ["**/*.full.test.ts"]),
      ...(own.exclude ?? []),
    ],
    sequence: { shuffle: { files: true, tests: true }, groupOrder: own.groupOrder ?? 0 },
    ...(own.maxWorkers === undefined ? {} : { maxWorkers: own.maxWorkers }),
    testTimeout: 30_000,
    // What a test polls for comes when it comes; a busy machine is no reason to fail.
    expect: { poll: { timeout: 20_000 } },
    passWithNoTests: true,
    ...(own.globalSetup !== undefined && { globalSetup: own.globalSetup }),
  },
});

/** Tests of the client that no option of the server can change, or that try every option themselves. */
const underAnyProfile = [
  "src/{readme,settings,types}.test.ts",
  "src/batch/{pace,pause,in-flight,killed*,memory*}.test.ts",
  "src/jobs/next-look.test.ts",
  "src/money/budget-property*.test.ts",
  "src/node/journal/*.test.ts",
  "src/node/killed.full.test.ts",
  "src/transport/retry.test.ts",
  "src/{transport,proxy}/exactly-once*.test.ts",
];

/** A test with no other beside it: it kills real processes between attempts that come at real times. */
const alone = "src/end-to-end/killed.full.test.ts";

export default defineConfig({
  ...sourceFirst,
  test: {
    // One worker less than there are processors, as otherwise, would leave half of a small machine idle.
    ...(full ? {} : { maxWorkers: "100%" }),
    // Of the client alone, see `npm run coverage`: the paths are those inside of the project that runs.
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts"],
      exclude: ["**/generated/**", "**/testing/**", "**/*.test.ts"],
      reporter: ["text"],
      thresholds: { branches: 95 },
    },
    reporters: ["default", "./scripts/closing-line-reporter.ts"],
    projects: [
      project("spec", "spec"),
      project("client", "packages/client"),
      project("webhooks", "packages/webhooks", { exclude: [alone] }),
      ...(full
        ? [
            project("webhooks-killed", "packages/webhooks", { include: [alone], groupOrder: 1 }),
            // All of the client once more, the fast tests too, with every option of the server at its other value.
            project("client-contrary", "packages/client", {
              env: { TRYON_PROFILE: "contrary" },
              include: ["**/*.test.ts"],
              exclude: underAnyProfile,
              groupOrder: 2,
              maxWorkers: "100%",
            }),
          ]
        : []),
      project("mock", "packages/mock"),
      project("test-kit", "packages/test-kit"),
      project("bench", "packages/bench"),
      project("contract", "packages/contract"),
      // What is packed and installed there is made once, and only where there are tests of it.
      project("runtimes", "packages/runtimes", full ? { globalSetup: "src/set-up.ts" } : {}),
      // The tests of the one that is copied out run where it was copied to.
      project("examples", "examples", { exclude: ["ci/**"] }),
      project("docs", "docs"),
      project("repository", "scripts"),
    ],
  },
});
