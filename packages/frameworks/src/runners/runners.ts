import type { Row } from "../row.ts";

/** Test runner, or a setting of one, that runs the typical tests of an app. */
export interface Runner extends Row {
  /** First lines of the test file: the hooks, `test` and `assert` of the runner. */
  readonly head: string;
  /** Name of the test file. @default "typical.test.mjs" */
  readonly file?: string;
  /** Configuration files. */
  readonly files?: Readonly<Record<string, string>>;
  /** Command of a package, or a file for Node, with its arguments. */
  readonly command: readonly string[];
  /** Settings that users of this runner need. @default none */
  readonly trap?: string;
}

const imports = `
import { createServer } from "node:http";
import { isTryOnError, TryOn } from "@tryon/client";
import { setupMock } from "@tryon/mock/node";
import { createReceiver } from "@tryon/webhooks/node";
`;
const requires = `
const assert = require("node:assert/strict");
const { createServer } = require("node:http");
const { isTryOnError, TryOn } = require("@tryon/client");
const { setupMock } = require("@tryon/mock/node");
const { createReceiver } = require("@tryon/webhooks/node");
`;
const nodeAssert = `import assert from "node:assert/strict";${imports}`;
const nodeTest = `${nodeAssert}import { after as afterAll, afterEach, before as beforeAll, beforeEach, test } from "node:test";\n`;
const vitest = `${imports}import { afterAll, afterEach, assert, beforeAll, beforeEach, test } from "vitest";\n`;
const mocha = `${nodeAssert}const [beforeAll, afterAll, test] = [before, after, it];\n`;
const jestGlobals = `${nodeAssert}import { afterAll, afterEach, beforeAll, beforeEach, test } from "@jest/globals";\n`;

export const runners: readonly Runner[] = [
  {
    id: "node-test",
    title: "node:test",
    packages: ["node"],
    head: nodeTest,
    command: ["node", "--test", "typical.test.mjs"],
    scripts: true,
    isPinned: true,
  },
  {
    id: "vitest",
    title: "vitest",
    packages: ["vitest"],
    head: vitest,
    command: ["vitest", "run"],
    trap: "[`useMock`](guides/test-your-app.md#code-that-makes-its-own-client) needs no hooks.",
    isPinned: true,
  },
  {
    id: "vitest-threads",
    title: 'vitest with `pool: "threads"`',
    packages: ["vitest"],
    head: vitest,
    command: ["vitest", "run", "--pool=threads"],
  },
  {
    id: "vitest-vm-threads",
    title: 'vitest with `pool: "vmThreads"`',
    packages: ["vitest"],
    head: vitest,
    command: ["vitest", "run", "--pool=vmThreads"],
  },
  {
    id: "vitest-jsdom",
    title: "vitest with jsdom",
    packages: ["vitest", "jsdom"],
    head: vitest,
    command: ["vitest", "run", "--environment=jsdom"],
    isPinned: true,
  },
  {
    id: "vitest-happy-dom",
    title: "vitest with happy-dom",
    packages: ["vitest", "happy-dom"],
    head: vitest,
    command: ["vitest", "run", "--environment=happy-dom"],
    isPinned: true,
  },
  {
    id: "vitest-edge",
    title: "vitest with edge-runtime",
    packages: ["vitest", "@edge-runtime/vm"],
    head: vitest,
    command: ["vitest", "run", "--environment=edge-runtime"],
  },
  {
    id: "jest",
    title: "jest, CommonJS",
    packages: ["jest"],
    file: "typical.test.cjs",
    head: requires,
    files: { "jest.config.mjs": 'export default { testMatch: ["**/*.test.cjs"] };\n' },
    command: ["jest"],
    isPinned: true,
  },
  {
    id: "jest-esm",
    title: "jest, ES modules",
    packages: ["jest"],
    head: jestGlobals,
    files: { "jest.config.mjs": 'export default { testMatch: ["**/*.test.mjs"] };\n' },
    command: ["--experimental-vm-modules", "node_modules/jest/bin/jest.js"],
  },
  {
    id: "jest-jsdom",
    title: "jest with jsdom",
    packages: ["jest", "jest-fixed-jsdom", "jest-environment-jsdom"],
    file: "typical.test.cjs",
    head: requires,
    files: {
      "jest.config.mjs":
        'export default { testMatch: ["**/*.test.cjs"], testEnvironment: "jest-fixed-jsdom" };\n',
    },
    command: ["jest"],
    trap: '`testEnvironment: "jest-fixed-jsdom"`. The environment `jsdom` of jest has no `fetch`.',
    isPinned: true,
  },
  {
    id: "ts-jest",
    title: "ts-jest",
    packages: ["ts-jest", "jest", "typescript@5"],
    file: "typical.test.ts",
    head: nodeAssert,
    files: {
      "jest.config.mjs": 'export default { preset: "ts-jest" };\n',
      "tsconfig.json": JSON.stringify({
        compilerOptions: { module: "node16", isolatedModules: true, esModuleInterop: true },
      }),
      "package.json": JSON.stringify({ type: "commonjs" }),
    },
    command: ["jest"],
  },
  {
    id: "swc-jest",
    title: "@swc/jest",
    packages: ["@swc/jest", "@swc/core", "jest"],
    file: "typical.test.ts",
    head: nodeAssert,
    files: {
      "jest.config.mjs": 'export default { transform: { "\\\\.ts$": "@swc/jest" } };\n',
      "package.json": JSON.stringify({ type: "commonjs" }),
    },
    command: ["jest"],
  },
  {
    id: "mocha",
    title: "mocha",
    packages: ["mocha"],
    head: mocha,
    command: ["mocha", "typical.test.mjs"],
  },
  {
    id: "mocha-sinon",
    title: "mocha with fake timers of sinon",
    packages: ["mocha", "sinon"],
    head: `${mocha}import sinon from "sinon";
let timers;
beforeEach(() => (timers = sinon.useFakeTimers({ toFake: ["Date", "setTimeout", "setInterval"] })));
afterEach(() => timers.restore());
`,
    command: ["mocha", "typical.test.mjs"],
    trap: "Pass `toFake`. By default, sinon fakes `nextTick`, which HTTP needs.",
    isPinned: true,
  },
  {
    id: "bun",
    title: "bun test",
    packages: ["bun"],
    head: `${nodeAssert}import { afterAll, afterEach, beforeAll, beforeEach, test } from "bun:test";\n`,
    command: ["bun", "test", "typical.test.mjs"],
    scripts: true,
  },
  {
    id: "deno",
    title: "deno test",
    packages: ["deno", "@types/node"],
    head: nodeTest,
    command: ["deno", "test", "--allow-all", "typical.test.mjs"],
    trap: "The check of types needs `@types/node`, or pass `--no-check`.",
    scripts: true,
  },
  {
    id: "msw",
    title: "MSW",
    packages: ["msw"],
    head: `${nodeTest}import { setupServer } from "msw/node";
const server = setupServer();
beforeAll(() => server.listen());
afterAll(() => server.close());
`,
    command: ["--test", "typical.test.mjs"],
  },
  {
    id: "nock",
    title: "nock",
    packages: ["nock"],
    head: `${nodeTest}import nock from "nock";
nock.disableNetConnect();
nock.enableNetConnect("127.0.0.1");
`,
    command: ["--test", "typical.test.mjs"],
    trap: "Allow `127.0.0.1`, where the reference server is.",
  },
  {
    id: "undici",
    title: "MockAgent of undici",
    packages: ["undici"],
    head: `${nodeTest}import { MockAgent, setGlobalDispatcher } from "undici";
const agent = new MockAgent();
agent.enableNetConnect(/^127\\.0\\.0\\.1:/);
setGlobalDispatcher(agent);
`,
    command: ["--test", "typical.test.mjs"],
    trap: "Allow `127.0.0.1`, where the reference server is.",
  },
  {
    id: "opentelemetry",
    title: "OpenTelemetry",
    packages: ["@opentelemetry/auto-instrumentations-node", "@opentelemetry/api"],
    head: nodeTest,
    command: [
      "--import=@opentelemetry/auto-instrumentations-node/register",
      "--test",
      "typical.test.mjs",
    ],
    env: {
      OTEL_NODE_RESOURCE_DETECTORS: "none",
      OTEL_TRACES_EXPORTER: "none",
      OTEL_METRICS_EXPORTER: "none",
      OTEL_LOGS_EXPORTER: "none",
    },
  },
  {
    id: "sentry",
    title: "Sentry",
    packages: ["@sentry/node"],
    head: `${nodeTest}import * as Sentry from "@sentry/node";
Sentry.init({ tracesSampleRate: 1 });
`,
    command: ["--test", "typical.test.mjs"],
  },
  {
    id: "dd-trace",
    title: "Datadog",
    packages: ["dd-trace"],
    head: nodeTest,
    command: ["--import=dd-trace/initialize.mjs", "--test", "typical.test.mjs"],
  },
  {
    id: "zone",
    title: "zone.js",
    packages: ["zone.js"],
    head: `import "zone.js/node";\n${nodeTest}`,
    command: ["--test", "typical.test.mjs"],
  },
];
