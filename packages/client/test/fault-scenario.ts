import { optionTable, stockEngine, type Engine, type Options } from "@tryon/mock";
import { array, boolean, constantFrom, record, tuple, type Arbitrary } from "fast-check";

import { isTryOnError, type Job, type TryOn, type TryOnOptions } from "../src/index.ts";
import type { Fetch } from "../src/config/options.ts";
import { jpegBytes } from "./bodies.ts";
import {
  cut,
  input,
  noResponse,
  openService,
  respondAfter,
  respondWith,
  trackEnd,
  type Fault,
  type TestService,
} from "./service.ts";

const json = (status: number, headers?: Record<string, string>): Fault =>
  respondWith(status, { detail: "no" }, headers);

/**
 * Responds with a page, after the work if `isDone`. The account stays what it is: a page there, too, would show that the URL is
 * wrong.
 */
const page =
  (status: number, text: string, isDone = false, headers: Record<string, string> = {}): Fault =>
  async (request, pass) => {
    if (request.path.endsWith("/account")) return pass();
    if (isDone) await pass();
    return new Response(text, { status, headers: { "content-type": "text/html", ...headers } });
  };

/** Faults of a request in the network and in the service. "done" means after the work of the service. */
export const networkFaults = {
  "connection refused": cut.refused,
  "reset before": cut.before,
  "reset after": cut.after,
  "no response": noResponse.before,
  "done, no response": noResponse.after,
  /** The client stops waiting before the request arrives. */
  "arrives late": { latency: "200s" },
  "cut within the response": { truncateAt: 20 },
  "done, cut-off JSON": respondAfter(200, '{"job_id":"job_1","sta'),
  "done, empty": respondAfter(200, ""),
  "done, 200 HTML": page(200, "<h1>Welcome</h1>", true),
  "held, then 504": { cutAfter: "2s" },
  "400": json(400),
  "402": json(402),
  "403": json(403),
  "422": json(422),
  "404 HTML": page(404, "<h1>Not found</h1>"),
  "done, 404 HTML": page(404, "<h1>Not found</h1>", true),
  "done, 405 HTML": page(405, "<h1>Not allowed</h1>", true),
  "done, 302": page(302, "", true),
  "done, 401 HTML": respondAfter(401, "<h1>Sign in</h1>"),
  "done, 522 HTML": respondAfter(522, "<h1>Connection timed out</h1>"),
  "307": page(307, "", false, { location: "https://elsewhere.example/api/v1/tryon" }),
  "done, 303": page(303, "", true),
  "done, 403 HTML": respondAfter(403, "<h1>Forbidden by the firewall</h1>"),
  "408": respondWith(408, "<h1>Request timeout</h1>"),
  "409 lock": json(409),
  "done, 409 HTML": respondAfter(409, "<h1>Conflict</h1>"),
  "429": json(429, { "retry-after": "3" }),
  "429 until a date": json(429, { "retry-after": "Thu, 01 Jan 2026 00:00:05 GMT" }),
  "429 without a time": json(429, { "retry-after": "" }),
  "429 for too long": json(429, { "retry-after": "90" }),
  "500": json(500),
  "done, 500": respondAfter(500, { detail: "broken" }),
  "502 HTML": { status: 502 },
  "done, 502 HTML": respondAfter(502, "<h1>Bad gateway</h1>"),
  "503": json(503, { "retry-after": "1" }),
  "done, 524": respondAfter(524, "<h1>A timeout occurred</h1>"),
} as const satisfies Record<string, Fault>;

// The keys of an object are its keys.
export const networkFaultNames = Object.keys(
  networkFaults,
) as readonly (keyof typeof networkFaults)[];

/** Value that a generator creates. */
export type ValueOf<Values> = Values extends Arbitrary<infer Value> ? Value : never;

/** Any options of the reference server. */
export const anyOptions = tuple(
  ...optionTable.map(({ values }) => constantFrom<unknown>(...values)),
).map(
  // The compiler cannot infer the type of `fromEntries`: each option has one of its values.
  (values) =>
    Object.fromEntries(
      optionTable.map(({ id }, index) => [id, values[index]]),
    ) as unknown as Options,
);

const often = <const Value>(value: Value, ...others: Value[]) =>
  constantFrom(value, value, value, ...others);

/** Try-ons with all combinations of options, faults and calls. */
export const faultScenarios = record({
  options: anyOptions,
  faults: array(constantFrom(...networkFaultNames), { minLength: 1, maxLength: 7 }),
  call: constantFrom("run", "submit"),
  sync: constantFrom<boolean | "auto">(true, false, "auto"),
  ownKey: boolean(),
  // If true, another process submits the same input under the same key at the same time, without faults.
  duplicate: often(false, true),
  // If true, a garment is sent as bytes.
  bytes: often(false, false, true),
  keyInMetadata: boolean(),
  retries: often(3, 2, 1, 0),
  timeout: often("20m", "2m", "8s"),
  // Run time of the job.
  latency: constantFrom("0.1s", "3s", "40s"),
  // Time between the failure of the call and the first recovery.
  later: often("0s", "10m", "2h"),
  blocked: often(false, true),
  // If true, the engine fails at first. The service refunds the charge, and may replay a 500 for the key.
  unreachable: often(false, false, false, true),
});
type FaultScenario = ValueOf<typeof faultScenarios>;

/** Change that breaks a client. */
export interface Mutant {
  readonly options?: TryOnOptions;
  readonly fetch?: (fetch: Fetch) => Fetch;
  /** Replaces the error of the call. */
  readonly error?: (error: unknown) => unknown;
}

const stock = stockEngine();
/** Creates the clients of a scenario, and advances time until their work has ended. */
interface Page {
  readonly createClient: (options: TryOnOptions) => TryOn;
  readonly advance: <Result>(work: Promise<Result>) => Promise<Result>;
}

/** Large enough to be sent as a stream. */
const image = jpegBytes(70_000);

/** Makes a try-on with faults, recovers its job as a user would, and checks what the client promises. */
export async function runScenario(
  scenario: FaultScenario,
  mutant: Mutant = {},
  openPage: (service: TestService) => Page = openDirectly,
) {
  let isUnreachable = scenario.unreachable;
  const engine: Engine = {
    name: "failing at first",
    prepare: async () => {
      const fails = isUnreachable;
      isUnreachable = false;
      if (fails) throw new Error("out of reach");
    },
    render: (request) => stock.render(request),
  };
  const { latency, options } = scenario;
  const service = openService(
    { profile: "default", options, latency, engine, journalLimit: 1 },
    {},
    true,
  );
  try {
    return await runScenarioOn(service, openPage(service), scenario, mutant);
  } finally {
    service.mock.close();
  }
}

async function runScenarioOn(
  service: TestService,
  { createClient, advance }: Page,
  scenario: FaultScenario,
  mutant: Mutant,
) {
  const { mock } = service;
  const { retries, keyInMetadata, later, sync, timeout, call, ownKey } = scenario;
  const fetch = mutant.fetch?.(service.fetch) ?? service.fetch;
  const tryon = createClient({ fetch, retries, keyInMetadata, ...mutant.options });
  service.faults.push(...scenario.faults.map((name) => networkFaults[name]));
  const key = ownKey ? { idempotencyKey: "order-17" } : {};
  const tryOn = {
    ...input,
    ...(scenario.bytes ? { garments: [image] } : {}),
    ...(scenario.blocked ? { prompt: "mock:content_blocked" } : {}),
  };
  const start = (client: TryOn): Promise<Job> =>
    call === "submit"
      ? client.submit(tryOn, { timeout, ...key })
      : client.run(tryOn, { timeout, sync, ...key }).then(({ job }) => job);
  const hasDuplicate = scenario.duplicate && ownKey;
  const duplicate =
    hasDuplicate &&
    start(service.client({ fetch: mock.fetch, keyInMetadata })).catch(() => undefined);
  let error: unknown;
  let job = await advance(
    start(tryon).catch((thrown: unknown) => {
      error = mutant.error?.(thrown) ?? thrown;
      return undefined;
    }),
  );
  const code = isTryOnError(error) ? error.code : error === undefined ? "none" : "untyped";
  if (error !== undefined) {
    await mock.clock.advance(later);
    // The remaining faults apply to the first recovery.
    job = await advance(recoverJob(error));
  }
  const applied = scenario.faults.slice(0, scenario.faults.length - service.faults.length);
  service.faults.length = 0;
  // A proxy or a 429 may end a recovery while the job runs.
  for (let again = 0; again < 3 && job === undefined; again += 1) {
    await mock.clock.advance("2m");
    job = await advance(recoverJob(error));
  }
  // Late requests arrive, and reads are consistent.
  await mock.clock.advance("5m");
  await advance(Promise.resolve(duplicate));
  const jobs = await advance(service.client().jobs.list().toArray());
  const charged = 1_000 - ((await service.balance()) ?? 0);
  const keys = service.keys();
  const isLost = jobs.length === 1 && job === undefined;
  // An error without `recover` proves only that its own call did nothing.
  const isAboutDuplicate = hasDuplicate && !("recover" in Object(error));
  // After the idempotency window, only a key in the metadata leads to the job.
  const isUnknowable =
    later === "2h" &&
    !keyInMetadata &&
    ["outcome_unknown", "server_error", "unavailable", "idempotency_conflict"].includes(code);
  const checks: Readonly<Record<string, boolean>> = {
    "a typed error": code !== "untyped",
    "one key": keys.size <= 1 && (!ownKey || keys.size === 0 || keys.has("order-17")),
    "one body": service.bodies().size <= 1,
    "at most one job": jobs.length <= 1,
    "at most one charge": scenario.blocked
      ? charged >= 0 && charged <= jobs.length * 8
      : charged === jobs.length * 8,
    "no lost job": !isLost || isUnknowable || isAboutDuplicate,
    // A proxy adds a signature to the id.
    "the submitted job": job === undefined || job.id.startsWith(jobs[0]?.id ?? "none"),
    "no visible key in the metadata": !JSON.stringify([job, jobs]).includes("_tryon_key"),
  };
  const violations = Object.keys(checks).filter((name) => checks[name] !== true);
  return { violations, applied, code };
}

/** Returns the job of an error, or recovers it. */
async function recoverJob(error: unknown): Promise<Job | undefined> {
  if (!isTryOnError(error)) return undefined;
  // Only some error classes have `recover`.
  const { recover } = error as { recover?: () => Promise<Job> };
  if (error.job !== undefined || recover === undefined) return error.job;
  return recover.call(error).catch(() => undefined);
}

function openDirectly({ client, mock }: TestService): Page {
  return {
    createClient: client,
    /** Advances time in large steps until the work has ended. */
    advance: async (work) => {
      const hasEnded = trackEnd(work);
      for (let step = 0; !hasEnded(); step += 1) {
        if (step > 400) throw new Error("The work does not end.");
        await mock.clock.advance(step < 2 ? "0s" : "5s");
      }
      return work;
    },
  };
}
