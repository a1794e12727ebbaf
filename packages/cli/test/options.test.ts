import { isTryOnError, TryOn } from "@tryon/client";
import { batch } from "@tryon/client/batch";
import { prepareImage, storeImage } from "@tryon/client/node";
import { createPostgresQuotaStore, openPostgresJournal } from "@tryon/client/postgres";
import { createProxy, createQuota } from "@tryon/client/proxy";
import { createRedisQuotaStore, openRedisJournal } from "@tryon/client/redis";
import { createTryOnSession } from "@tryon/client/session";
import { createSqliteQuotaStore, openSqliteJournal } from "@tryon/client/sqlite";
import { recorder, runContract } from "@tryon/contract";
import { createMock } from "@tryon/mock";
import { nodeNetwork, serve, setupMock } from "@tryon/mock/node";
import { useMock } from "@tryon/mock/vitest";
import {
  createMemoryStore,
  createReceiver,
  explain,
  safeVerify,
  sign,
  signedRequest,
  verify,
} from "@tryon/webhooks";
import { safeVerifySync, verifySync } from "@tryon/webhooks/node";
import { createPostgresStore } from "@tryon/webhooks/postgres";
import { reconcile } from "@tryon/webhooks/reconcile";
import { createRedisStore } from "@tryon/webhooks/redis";
import { createSqliteStore } from "@tryon/webhooks/sqlite";
import { describe, expect, test } from "vitest";

const secret = "whsec_test";
const body = JSON.stringify({ event: "tryon.completed", job_id: "job_1", status: "failed" });
const headers = { "x-service-signature": await sign({ body, secret }) };
const delivery = { body, headers, secrets: secret };
const receiver = { secrets: secret, onCompleted: () => undefined };
const mock = createMock();
const tryon = new TryOn({ apiKey: mock.keys.test, baseUrl: mock.baseUrl, fetch: mock.fetch });
const noHooks = { beforeAll() {}, beforeEach() {}, afterEach() {}, afterAll() {} };
const target = { baseUrl: mock.baseUrl, fetch: mock.fetch, signal: AbortSignal.abort() };

const durations = [0, -1, Number.NaN, "soon", "5", {}, true];
const wholes = [-1, 1.5, Number.NaN, "3", {}];
const flags = ["yes", 1, null];
const postgres = { query: async () => ({ rows: [] }) };
const redis = { eval: async () => "" };

/** A public function: its call with more options, an unknown option with the likely one, and invalid values. */
type Row = readonly [
  call: (given: never) => unknown,
  unknown: readonly [name: string, likely: string],
  invalid?: Readonly<Record<string, readonly unknown[]>>,
];

type Call = (given: object) => unknown;
const tableRow = (call: Call): Row => [
  call,
  ["create_table", "createTable"],
  { table: ["a b", 5], createTable: flags },
];
const redisRow = (call: Call): Row => [call, ["prefixes", "prefix"], { prefix: [5] }];
const verifyRow = (verifying: (options: typeof delivery) => unknown): Row => [
  (given: object) => verifying({ ...delivery, ...given }),
  ["maxage", "maxAge"],
  { maxAge: [-1, Number.NaN, "soon"] },
];

const client: Readonly<Record<string, Row>> = {
  TryOn: [
    (given: object) => new TryOn({ apiKey: "svc_test_a", baseUrl: mock.baseUrl, ...given }),
    ["timeOut", "timeout"],
    {
      timeout: durations,
      attemptTimeout: durations,
      idempotencyWindow: durations,
      retries: wholes,
      maxResultBytes: wholes,
      pollInterval: durations,
      onRateLimit: ["retry", 5],
      recoveryKeys: ["svc_live_a", [""], ["a b"], [5], {}],
    },
  ],
  "account.get": [
    (given: object) => tryon.account.get(given),
    ["timeOut", "timeout"],
    { timeout: durations },
  ],
  batch: [
    (given: object) => batch(tryon, [], given),
    ["concurency", "concurrency"],
    {
      timeout: durations,
      concurrency: [0, ...wholes],
      stopAfterContentBlocked: [0, -1, "3", Number.NaN],
      retryFailed: [3, {}, { maxAttempts: 0 }, { maxAttempts: 2, codes: ["content_blocked"] }],
    },
  ],
  prepareImage: [
    (given: object) => prepareImage(new Blob(["x"]), given),
    ["maxsize", "maxSide"],
    { maxSide: [511, 4_097, 600.5, ...wholes], format: ["png", 5] },
  ],
  storeImage: [
    (given: object) => storeImage({} as never, "https://shop.example/a.png", given),
    ["header", "headers"],
    { timeout: durations },
  ],
  createProxy: [
    (given: object) => createProxy({ authorize: () => null, ...given }),
    ["base_path", "basePath"],
    {
      authorize: [5],
      basePath: ["api"],
      limit: [{ perDay: 20 }, 5],
      maxBody: [0, Number.NaN],
      maxRefusals: [5, {}, { count: 3, per: "1s" }, { count: 0, per: "1d" }],
      onRefusal: ["log"],
    },
  ],
  createQuota: [
    (given: object) => createQuota({ perDay: 5, ...given }),
    ["per_day", "perDay"],
    { perDay: [0, Infinity, undefined, ...wholes], perMinute: [0, ...wholes] },
  ],
  openPostgresJournal: [
    (given: object) => openPostgresJournal(postgres, "spring", given),
    ["claim_ttl", "claimTtl"],
    { claimTtl: [Infinity, ...durations], createTable: flags },
  ],
  openSqliteJournal: [
    (given: object) => openSqliteJournal({} as never, "spring", given),
    ["claim_ttl", "claimTtl"],
    { claimTtl: [Infinity, ...durations], createTable: flags },
  ],
  openRedisJournal: [
    (given: object) => openRedisJournal(redis, "spring", given),
    ["check_policy", "checkPolicy"],
    { claimTtl: [Infinity, ...durations], checkPolicy: flags },
  ],
  createPostgresQuotaStore: tableRow((given) => createPostgresQuotaStore(postgres, given)),
  createSqliteQuotaStore: tableRow((given) => createSqliteQuotaStore({} as never, given)),
  createRedisQuotaStore: redisRow((given) => createRedisQuotaStore(redis, given)),
  createTryOnSession: [
    (given: object) => createTryOnSession(tryon, given),
    ["max_age", "maxAge"],
    { timeout: durations, maxAge: durations, user: ["", 5] },
  ],
};

const others: Readonly<Record<string, Row>> = {
  createReceiver: [
    (given: object) => createReceiver({ ...receiver, ...given }),
    ["dedupe_ttl", "dedupeTtl"],
    {
      dedupeTtl: [Infinity, ...durations],
      claimTtl: [Infinity, ...durations],
      claimWait: [Infinity, ...durations],
      maxAge: [-1, Number.NaN, "soon", {}],
      maxBodyBytes: wholes,
      onCompleted: [undefined, "log"],
      onUnknown: ["log"],
      onError: [5],
    },
  ],
  createMemoryStore: [
    createMemoryStore,
    ["maxevents", "maxEvents"],
    { maxEvents: [0, Infinity, ...wholes] },
  ],
  signedRequest: [
    (given: object) => signedRequest({}, { secret, ...given }),
    ["header", "headers"],
  ],
  verify: verifyRow(verify),
  safeVerify: verifyRow(safeVerify),
  explain: verifyRow(explain),
  verifySync: verifyRow(verifySync),
  safeVerifySync: verifyRow(safeVerifySync),
  reconcile: [
    (given: object) =>
      reconcile(tryon, { receiver: createReceiver(receiver), since: new Date(), ...given }),
    ["sinse", "since"],
    { since: ["yesterday", undefined], filter: [5], receiver: [undefined, {}] },
  ],
  createRedisStore: redisRow((given) => createRedisStore(redis, given)),
  createPostgresStore: tableRow((given) => createPostgresStore(postgres, given)),
  createSqliteStore: tableRow((given) => createSqliteStore({} as never, given)),
  createMock: [
    createMock,
    ["latancy", "latency"],
    {
      latency: [-1, Number.NaN, "soon", true],
      credits: wholes,
      concurrency: [0, ...wholes],
      magic: flags,
      allowPrivateWebhooks: flags,
      allowPrivateImages: flags,
      images: ["on", true],
      corsOrigins: ["*"],
      journalLimit: [0, ...wholes],
      jobRetention: ["29d", 1, -1, true],
      sendWebhook: [5],
      clock: ["sundial"],
      seed: [{}],
      baseUrl: [5],
      profile: ["odd"],
    },
  ],
  serve: [
    (given: object) => serve(mock, given),
    ["prot", "port"],
    { port: [65_536, ...wholes], host: [5], openControl: flags },
  ],
  "limits of serve": [
    (limits: object) => serve(mock, { limits }),
    ["headerTimeout", "headersTimeout"],
    { headersTimeout: durations, requestTimeout: durations, connections: [0, ...wholes] },
  ],
  nodeNetwork: [nodeNetwork, ["resolver", "resolve"], { ca: [5], resolve: ["dns"] }],
  useMock: [useMock, ["latancy", "latency"], { unawaitedJobs: ["warn", true], seed: [{}] }],
  setupMock: [
    (given: object) => setupMock(noHooks, given),
    ["latancy", "latency"],
    { unawaitedJobs: ["warn", true] },
  ],
  nextJob: [
    (given: object) => mock.nextJob(given),
    ["outcom", "outcome"],
    { outcome: ["lost"], durationMs: [-1, "1s"], errorMessage: ["", 5] },
  ],
  "faults.add": [
    (given: object) => createMock().faults.add({ on: "* *", status: 503, ...given }),
    ["retry_after", "retryAfter"],
    { times: [0, ...wholes], status: [199, ...wholes], probability: [0, 2], html: flags },
  ],
  createKey: [
    (given: object) => mock.createKey(given),
    ["credit", "credits"],
    { credits: wholes, mode: ["lively"], name: [5] },
  ],
  "journal.entries": [
    (given: object) => mock.journal.entries(given),
    ["apikey", "apiKey"],
    { method: [5], path: [5], since: ["now"] },
  ],
  "journal.waitFor": [
    (given: object) => mock.journal.waitFor("GET /", { timeout: 0, ...given }),
    ["cuont", "count"],
    { count: [0, ...wholes], timeout: [-1, "soon"], until: ["begun"] },
  ],
  runContract: [
    (given: object) => runContract({ ...target, ...given }),
    ["maxCredit", "maxCredits"],
    {
      baseUrl: ["tryon.example", undefined],
      apiKey: ["secret"],
      level: ["high"],
      maxCredits: [-1, "5"],
      allowLive: flags,
      webhookPort: [65_536, ...wholes],
      maxTime: [2 ** 31, ...durations],
      onResult: [5],
    },
  ],
  recorder: [
    (given: object) => recorder({ file: "session.ndjson", ...given }),
    ["samples", "sample"],
    { sample: [-0.1, 1.1, Number.NaN, "all"], keepText: flags },
  ],
};

async function errorOf(call: Row[0], given: object): Promise<unknown> {
  try {
    // Callers without types can pass anything.
    await call(given as never);
  } catch (error) {
    return error;
  }
  return undefined;
}

describe.each([
  ["client", client],
  ["others", others],
])("functions of %s", (kind, rows) => {
  const fieldOf = (error: unknown): unknown => {
    if (kind === "others") return error instanceof TypeError && Reflect.get(error, "field");
    return isTryOnError(error, "invalid_input") && error.issues[0]?.field;
  };

  test.each(Object.entries(rows))("%s reads each option alike", async (_of, [call, typo, bad]) => {
    const [name, likely] = typo;
    const unknown = await errorOf(call, { [name]: 1 });
    expect(fieldOf(unknown), String(unknown)).toBe(name);
    const hint = `Did you mean ${likely}\\?`;
    expect(String(unknown)).toMatch(
      new RegExp(`^\\w+: (invalid_input: )?${name} is not an? [\\w ]+ of [\\w ]+\\. ${hint}$`),
    );
    for (const [option, values] of Object.entries(bad ?? {})) {
      for (const value of values) {
        const error = await errorOf(call, { [option]: value });
        const place = `${option}: ${String(value)}: ${String(error)}`;
        expect(fieldOf(error), place).toBe(option);
        expect(String(error), place).toMatch(
          new RegExp(`^\\w+: (invalid_input: )?${option} must be .+\\.`),
        );
      }
    }
    // An option that is undefined counts as not given.
    expect(fieldOf(await errorOf(call, { [name]: undefined }))).not.toBe(name);
  });
});
