import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";

import { LongestFirst } from "./scripts/longest-first.ts";

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

/** Says nothing about the profile or the transport, which the second run of the client's tests changes. */
const sameInBothRuns = [
  "**/{browser,memory,quota,race,type-errors}.full.test.ts",
  "src/{stores,react,session}/*.full.test.ts",
  // Images are read before a request.
  "src/images/{job-image.full,read-image-header,remove-metadata,remove-metadata.full}.test.ts",
  "src/{photos/prepare-image,node/prepare-with-sharp}.full.test.ts",
  // They choose a transport themselves, or need none.
  "src/node/{killed,node-transport}*.test.ts",
  "src/node/journal/*.test.ts",
];

const setUp = join(import.meta.dirname, "packages/runtimes/src/set-up.ts");

const project = (
  name: string,
  root: string,
  own: {
    env?: Record<string, string>;
    include?: string[];
    exclude?: string[];
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
    sequence: { shuffle: { files: true, tests: true } },
    // Property tests have ten times the cases in the nightly set. Files of the full set share a core.
    testTimeout: { full: 60_000, nightly: 300_000 }[set] ?? 30_000,
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
    // Files of the full set wait for programs, timers and browsers half of their time.
    maxWorkers: Math.ceil(availableParallelism() * (set === "fast" ? 1.5 : 2)),
    sequence: { sequencer: LongestFirst },
    // `npm test -- --coverage`: branches of the client that the fast set covers.
    coverage: {
      provider: "v8",
      include: ["packages/client/src/**/*.ts"],
      exclude: [
        "**/generated/**",
        "**/testing/**",
        "**/*.test.ts",
        // The full set runs these in browsers and on real servers.
        "**/{session,react}/**",
        "**/prepare-image.ts",
        "**/prepare-with-canvas.ts",
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
          "examples/ci/**",
          ...(set === "fast" ? isolated : []),
        ],
      }),
      ...(set === "fast" ? [project("isolated", ".", { include: isolated, shared: false })] : []),
      // Packs and installs the packages once for all its tests.
      project("runtimes", "packages/runtimes", set === "nightly" ? { globalSetup: setUp } : {}),
      // The client over `node:http`, with every option of the server at its other value.
      ...(set === "full"
        ? [
            project("client-other", "packages/client", {
              include: ["**/*.test.ts"],
              exclude: [nightly, ...sameInBothRuns, ...isolatedClient],
              shared: true,
              env: { TRYON_PROFILE: "alternate", TRYON_TRANSPORT: "node" },
            }),
          ]
        : []),
      // Each difference by itself.
      ...(set === "nightly"
        ? [
            project("client-alternate", "packages/client", { env: { TRYON_PROFILE: "alternate" } }),
            project("client-node", "packages/client", { env: { TRYON_TRANSPORT: "node" } }),
          ]
        : []),
    ],
  },
});
