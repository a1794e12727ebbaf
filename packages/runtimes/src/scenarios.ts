import vectors from "@tryon/spec/vectors/webhooks.json" with { type: "json" };

/** Kind of runtime: a process of that name, Node after the TypeScript compiler, a worker, or a page. */
export type Kind = "node" | "bun" | "deno" | "typescript" | "worker" | "page";

export const columns = {
  client: { title: "client", manifest: "client" },
  batch: { title: "batch and journal", manifest: "client" },
  proxy: { title: "proxy", manifest: "client" },
  webhooks: { title: "webhooks", manifest: "webhooks" },
  mock: { title: "mock", manifest: "mock" },
  contract: { title: "contract", manifest: "contract" },
} as const;
export type Column = keyof typeof columns;

export interface Scenario {
  /** The file in `programs/`, without its ending. */
  readonly program: string;
  readonly column: Column;
  readonly on: readonly Kind[];
  readonly value: unknown;
  /** Permissions that Deno grants, and no others. */
  readonly allow: readonly string[];
  readonly does: string;
  /** If true, the program moves the clock of the server, and needs a server for itself. */
  readonly movesTime?: true;
  /** If true, the package has declarations for ES modules only. */
  readonly esModulesOnly?: true;
  readonly usesMsw?: true;
}

const processes = ["node", "bun", "deno"] as const;
const everywhere = [...processes, "typescript", "worker", "page"] as const;
const loopback = "--allow-net=127.0.0.1";
const allPassed = {
  cases: vectors.cases.length,
  passed: vectors.cases.length,
  failures: [],
};

/** Cost with a test key, which pages use. */
const onATestKey = ["PNG", 0, "sending", "succeeded"];

/** Expected output of a program, which depends on the key of the runtime. */
export function expected({ program, value }: Scenario, kind: Kind): unknown {
  return program === "try-on" && kind === "page" ? onATestKey : value;
}

export const scenarios: readonly Scenario[] = [
  {
    program: "try-on",
    column: "client",
    on: everywhere,
    value: ["PNG", 8, "sending", "succeeded"],
    allow: [loopback],
    does: "makes a try-on of two images, and downloads the result",
  },
  {
    program: "jobs",
    column: "client",
    on: everywhere,
    value: ["succeeded", true, true, ["none", "job_failed"], true, true],
    allow: [loopback],
    does: "submits, polls, resumes a job from JSON, waits for several, and distinguishes errors",
  },
  {
    program: "batch",
    column: "batch",
    on: everywhere,
    value: [true, false, true, false, true, true, true, true],
    allow: [loopback],
    does: "runs a batch twice with one journal, the second time without a request",
  },
  {
    program: "journal",
    column: "batch",
    on: everywhere,
    value: [[8, false, 8, false, 8, true, 8, true], "budget_exceeded"],
    allow: [loopback, "--allow-read=.", "--allow-write=.", "--allow-sys=hostname"],
    does: "the same with `openJournal`, and stops at a budget",
  },
  {
    program: "store-image",
    column: "batch",
    on: [...processes, "typescript"],
    value: [true, 2, true, true],
    allow: [loopback, "--allow-env=TMPDIR,TMP,TEMP", "--allow-read=/tmp", "--allow-write=/tmp"],
    does: "stores an image with `storeImage`, by a PUT that fails once, and in streams",
  },
  {
    program: "proxy",
    column: "proxy",
    on: everywhere,
    value: [true, "not_found"],
    allow: [loopback],
    does: "makes a try-on through `createProxy`, called as a function",
  },
  {
    program: "proxy-over-node",
    column: "proxy",
    on: [...processes, "typescript"],
    value: [true, "unauthorized"],
    allow: [loopback],
    does: "through `toNodeHandler` and `node:http`, and refuses an unknown user",
  },
  {
    program: "proxy-served",
    column: "proxy",
    on: ["bun", "deno", "worker"],
    value: [true, "unauthorized"],
    allow: [loopback],
    does: "through the HTTP server of the runtime, and refuses an unknown user",
  },
  {
    program: "proxy-of-the-site",
    column: "proxy",
    on: ["page"],
    value: [true, "not_found"],
    allow: [],
    does: "in a page, through the proxy of its site",
  },
  {
    program: "vectors",
    column: "webhooks",
    on: [...processes, "worker", "page"],
    value: allPassed,
    allow: [],
    does: "verifies every vector of `spec/vectors` with Web Crypto",
  },
  {
    program: "vectors-sync",
    column: "webhooks",
    on: processes,
    value: allPassed,
    allow: [],
    does: "verifies every vector with `node:crypto`",
  },
  {
    program: "verify",
    column: "webhooks",
    on: everywhere,
    value: ["succeeded", "invalid_event", true],
    allow: [],
    does: "signs, verifies, and refuses a changed body",
  },
  {
    program: "verify-sync",
    column: "webhooks",
    on: [...processes, "typescript"],
    value: [true, true],
    allow: [],
    does: "the same with `verifySync`, and recognizes an error of another entry point",
  },
  {
    program: "receiver-over-node",
    column: "webhooks",
    on: [...processes, "typescript"],
    value: [true, 400],
    allow: [loopback],
    does: "receives a webhook of the mock with `node:http`",
  },
  {
    program: "receiver-served",
    column: "webhooks",
    on: ["bun", "deno", "worker"],
    value: [true, 400],
    allow: [loopback],
    does: "receives it with the HTTP server of the runtime",
  },
  {
    program: "mock-in-process",
    column: "mock",
    on: everywhere,
    value: [true, 992, ["succeeded"], "svc_test_mock"],
    allow: [],
    does: "makes a try-on with `createMock`, which sends a webhook",
  },
  {
    program: "mock-served",
    column: "mock",
    on: [...processes, "typescript"],
    value: [true],
    allow: [loopback],
    does: "the same with `serve`, over HTTP",
  },
  {
    program: "mock-behind-msw",
    column: "mock",
    on: [...processes, "typescript"],
    value: [true],
    allow: ["--allow-env", "--allow-read"],
    does: "the same with the global `fetch`, behind `setupServer` of msw",
    esModulesOnly: true,
    usesMsw: true,
  },
  {
    program: "mock-behind-a-worker",
    column: "mock",
    on: ["page"],
    value: [true],
    allow: [],
    does: "the same in a page, behind the service worker of msw",
  },
  {
    program: "contract",
    column: "contract",
    on: everywhere,
    value: [true, []],
    allow: [loopback],
    does: "checks a server with all of its keys",
    movesTime: true,
    esModulesOnly: true,
  },
];
