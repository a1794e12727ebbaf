import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";

// Tests import the packages by name and get their sources: nothing has to be built first.
const sourceFirst = {
  resolve: { conditions: ["@tryon/source", "module", "browser", "development|production"] },
  ssr: { resolve: { conditions: ["@tryon/source", "module", "node", "development|production"] } },
};

if (!process.features.typescript) throw new Error("Needs Node 24. Run `npm test -- PATH`.");

/** Set of tests that this run takes: `npm test`, `test:full`, or `test:nightly` and `test:all`. */
const set = process.env["TRYON_TESTS"] ?? "fast";
/** Spawns processes, browsers or servers, or takes seconds. */
const full = "**/*.full.test.ts";
/** Takes minutes, or installs other runtimes and frameworks. */
const nightly = "**/*.nightly.test.ts";

const fastFiles = { include: ["**/*.test.ts"], exclude: [full, nightly] };
const files =
  { full: { include: [full], exclude: [] }, nightly: { include: ["**/*.test.ts"], exclude: [] } }[
    set
  ] ?? fastFiles;

/** Replaces modules or timers, which files in the same process would get too. */
const replacing = /\bvi\.(?:mock|doMock|resetModules|useFakeTimers)\(/;
const isolated = globSync("{packages,examples,docs,spec,scripts}/**/*.test.ts", {
  cwd: import.meta.dirname,
  exclude: (path) => /node_modules|dist|\.(?:full|nightly)\.test/.test(path),
}).filter((file) => replacing.test(readFileSync(join(import.meta.dirname, file), "utf8")));
const isolatedClient = isolated.map((file) => file.replace("packages/client/", ""));

/** Kills real processes between attempts that come at real times, so nothing else runs beside it. */
const alone = "test/end-to-end/killed.full.test.ts";

const setUp = join(import.meta.dirname, "packages/runtimes/src/set-up.ts");

const project = (
  name: string,
  root: string,
  own: {
    env?: Record<string, string>;
    include?: string[];
    exclude?: string[];
    groupOrder?: number;
    shared?: boolean;
    globalSetup?: string;
  } = {},
) => ({
  ...sourceFirst,
  test: {
    name,
    root,
    env: own.env ?? {},
    environment: "node" as const,
    include: own.include ?? files.include,
    exclude: ["**/node_modules/**", "**/dist/**", ...(own.exclude ?? files.exclude)],
    // Files of the fast set share processes, and a file that leaves a global changed fails.
    isolate: !(own.shared ?? set === "fast"),
    setupFiles: [
      "test-setup.ts",
      ...((own.shared ?? set === "fast") ? ["check-shared-state.ts"] : []),
    ].map((file) => fileURLToPath(new URL(`scripts/${file}`, import.meta.url))),
    sequence: { shuffle: { files: true, tests: true }, groupOrder: own.groupOrder ?? 0 },
    // Property tests have ten times the cases there.
    testTimeout: set === "nightly" ? 300_000 : 30_000,
    hookTimeout: 60_000,
    // A slow machine must not fail a test.
    expect: { poll: { timeout: 20_000 } },
    passWithNoTests: true,
    ...(own.globalSetup !== undefined && { globalSetup: own.globalSetup }),
  },
});

export default defineConfig({
  ...sourceFirst,
  test: {
    // By default Vitest leaves one core idle, which is half of a small machine.
    maxWorkers: "100%",
    // `npm test -- --coverage`: branches of the client that the fast set covers.
    coverage: {
      provider: "v8",
      include: ["packages/client/src/**/*.ts"],
      exclude: [
        "**/generated/**",
        "**/testing/**",
        "**/*.test.ts",
        // The full set runs these in Chromium and on real servers.
        "**/{session,react}/**",
        "**/stores/{postgres,redis}.ts",
      ],
      reporter: ["text-summary"],
      thresholds: { branches: 95 },
    },
    // Transformed modules stay in node_modules for the next run.
    fsModuleCache: true,
    reporters: ["default", "./scripts/closing-line-reporter.ts"],
    projects: [
      project("all", ".", {
        exclude: [
          ...files.exclude,
          "packages/runtimes/**",
          `packages/webhooks/${alone}`,
          "examples/ci/**",
          ...(set === "fast" ? isolated : []),
        ],
      }),
      ...(set === "fast" ? [project("isolated", ".", { include: isolated, shared: false })] : []),
      // Packs and installs the packages once for all its tests.
      project("runtimes", "packages/runtimes", set === "nightly" ? { globalSetup: setUp } : {}),
      ...(set === "fast"
        ? []
        : [
            project("webhooks-alone", "packages/webhooks", {
              include: [alone],
              exclude: [],
              groupOrder: 1,
            }),
            // The client once more, with every option of the server at its other value.
            project("client-alternate", "packages/client", {
              ...(set === "full" && {
                include: fastFiles.include,
                exclude: [...fastFiles.exclude, ...isolatedClient],
                shared: true,
              }),
              env: { TRYON_PROFILE: "alternate" },
              groupOrder: 2,
            }),
            // The client over `node:http` instead of `fetch`.
            project("client-node", "packages/client", {
              ...(set === "full" && {
                include: ["**/*.test.ts"],
                exclude: [
                  nightly,
                  "**/{browser,memory,race,take-lock}.full.test.ts",
                  // Has scenarios with each transport.
                  "src/node/killed.full.test.ts",
                  // They need servers of databases or a browser, and no transport.
                  "src/{stores,react,session}/*.full.test.ts",
                  ...isolatedClient,
                ],
                shared: true,
              }),
              env: { TRYON_TRANSPORT: "node" },
              groupOrder: 3,
            }),
          ]),
    ],
  },
});
