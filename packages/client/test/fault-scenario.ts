import { optionTable, stockEngine, type Engine, type Options } from "@tryon/mock";
import { array, boolean, constantFrom, integer, record, tuple, type Arbitrary } from "fast-check";

import {
  isTryOnError,
  type Clock,
  type Job,
  type PageClient,
  type TryOnOptions,
} from "../src/index.ts";
import type { Fetch } from "../src/config/options.ts";
import { jpegBytes } from "./bodies.ts";
import {
  cut,
  input,
  machineClock,
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

const utc = (at: number): string => new Date(at).toUTCString();

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
  "429 until a date": async ({ at }) =>
    Response.json(
      { detail: "no" },
      { status: 429, headers: { date: utc(at), "retry-after": utc(at + 5_000) } },
    ),
  "429 without a time": json(429, { "retry-after": "" }),
  "429 for too long": json(429, { "retry-after": "90" }),
  "500": json(500),
  "done, 500": respondAfter(500, { detail: "broken" }),
  "502 HTML": { status: 502 },
  "done, 502 HTML": respondAfter(502, "<h1>Bad gateway</h1>"),
  "503": json(503, { "retry-after": "1" }),
  "done, 524": respondAfter(524, "<h1>A timeout occurred</h1>"),
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof networkFaults;

// The keys of an object are its keys.
export const networkFaultNames = Object.keys(networkFaults) as readonly FaultName[];

type Machine = ReturnType<typeof machineClock>;

const hour = 3_600_000;
/** Changes of the clock of a machine, and its sleep. */
const clockChanges = {
  "set back by an hour": ({ setDate }) => setDate(-hour),
  "set forward by an hour": ({ setDate }) => setDate(hour),
  "set forward by two days": ({ setDate }) => setDate(48 * hour),
  "asleep for a minute": ({ fallAsleep }) => fallAsleep(60_000),
  "asleep for two hours": ({ fallAsleep }) => fallAsleep(2 * hour),
} as const satisfies Record<string, (machine: Machine) => void>;

/** Changes of a clock, each some time after the start of a request. */
export const anyClockChanges = array(
  record({
    request: integer({ min: 1, max: 5 }),
    delay: constantFrom(0, 300, 2_000),
    // The keys of an object are its keys.
    change: constantFrom(...(Object.keys(clockChanges) as (keyof typeof clockChanges)[])),
  }),
  { maxLength: 2 },
);

/** Creates a machine whose clock changes while it sends requests over its network. */
export function createMachine(
  clock: TestService["mock"]["clock"],
  changes: ValueOf<typeof anyClockChanges>,
) {
  const machine = machineClock(clock);
  let count = 0;
  return {
    ...machine,
    network: (fetch: Fetch): Fetch => {
      const send = machine.network(fetch);
      return (...request) => {
        count += 1;
        for (const { request: number, delay, change } of changes) {
          if (number === count) clock.setTimeout(() => clockChanges[change](machine), delay);
        }
        return send(...request);
      };
    },
  };
}

export type ValueOf<Values> = Values extends Arbitrary<infer Value> ? Value : never;

export const anyOptions = tuple(
  ...optionTable.map(({ values }) => constantFrom<unknown>(...values)),
).map(
  // The compiler cannot infer the type of `fromEntries`: each option has one of its values.
  (values) =>
    Object.fromEntries(
      optionTable.map(({ id }, index) => [id, values[index]]),
    ) as Partial<Options> as Options,
);

const often = <const Value>(value: Value, ...others: Value[]) =>
  constantFrom(value, value, value, ...others);

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
  timeout: often(1_200_000, 120_000, 8_000),
  // Run time of the job.
  latency: constantFrom("0.1s", "3s", "40s"),
  // Time between the failure of the call and the first recovery.
  later: often("0s", "10m", "2h"),
  blocked: often(false, true),
  // If true, the engine fails at first. The service refunds the charge, and may replay a 500 for the key.
  unreachable: often(false, false, false, true),
  clock: anyClockChanges,
});
export type FaultScenario = ValueOf<typeof faultScenarios>;

/** Change that breaks a client. */
export interface Mutant {
  readonly options?: TryOnOptions;
  readonly fetch?: (fetch: Fetch) => Fetch;
  readonly clock?: (clock: Clock) => Clock;
  /** Replaces the error of the call. */
  readonly error?: (error: unknown) => unknown;
}

const stock = stockEngine();
/** Methods that a scenario calls, which every client has. */
type TestedClient = Pick<PageClient, "run" | "submit">;

/** Creates the clients of a scenario, and advances time until their work has ended. */
interface Page {
  readonly createClient: (options: TryOnOptions) => TestedClient;
  readonly advance: <Result>(work: Promise<Result>) => Promise<Result>;
  readonly fetch: Fetch;
  /** Changes of the clock of a proxy in between, which also limits requests by its own rules. */
  readonly proxyClock?: ValueOf<typeof anyClockChanges>;
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
    service.close();
  }
}

async function runScenarioOn(
  service: TestService,
  { createClient, advance, fetch: network, proxyClock }: Page,
  scenario: FaultScenario,
  mutant: Mutant,
) {
  const { mock } = service;
  const { retries, keyInMetadata, later, sync, timeout, call, ownKey } = scenario;
  const { machine, awake, network: networkOf } = createMachine(mock.clock, scenario.clock);
  const time = (): number => Number(machine.monotonic?.());
  const send = networkOf(mutant.fetch?.(network) ?? network);
  /** Time until which the service has asked for no request. */
  let retryAt = 0;
  let isEarly = false;
  const fetch: Fetch = async (...request) => {
    isEarly ||= time() < retryAt;
    const response = await send(...request);
    const delay = Number(response.status === 429 && response.headers.get("retry-after"));
    // A longer one ends the call.
    if (delay <= 60) retryAt = Math.max(retryAt, time() + delay * 1_000);
    return response;
  };
  const clock = mutant.clock?.(machine) ?? machine;
  const tryon = createClient({ clock, fetch, retries, keyInMetadata, ...mutant.options });
  service.faults.push(...scenario.faults.map((name) => networkFaults[name]));
  const key = ownKey ? { idempotencyKey: "order-17" } : {};
  const tryOn = {
    ...input,
    ...(scenario.bytes ? { garments: [image] } : {}),
    ...(scenario.blocked ? { prompt: "mock:content_blocked" } : {}),
  };
  let endedAt = 0;
  const start = (client: TestedClient): Promise<Job> =>
    (call === "submit"
      ? client.submit(tryOn, { timeout, ...key })
      : client.run(tryOn, { timeout, sync, ...key }).then(({ job }) => job)
    ).finally(() => void (endedAt = time()));
  const hasDuplicate = scenario.duplicate && ownKey;
  const duplicate =
    hasDuplicate &&
    start(service.client({ fetch: mock.fetch, keyInMetadata })).catch(() => undefined);
  let error: unknown;
  const startedAt = time();
  let job = await advance(
    start(tryon).catch((thrown: unknown) => {
      error = mutant.error?.(thrown) ?? thrown;
      return undefined;
    }),
  );
  const first = error;
  const code = isTryOnError(first) ? first.code : first === undefined ? "none" : "untyped";
  const duration = endedAt - startedAt;
  /** Recovers the job of the last error, as a user would. */
  const recover = async (): Promise<Job | undefined> => {
    await awake();
    return recoverJob(error).catch((thrown: unknown) => {
      error = thrown;
      return undefined;
    });
  };
  if (error !== undefined) {
    await mock.clock.advance(later);
    // The remaining faults apply to the first recovery.
    job = await advance(recover());
  }
  const applied = scenario.faults.slice(0, scenario.faults.length - service.faults.length);
  service.faults.length = 0;
  // A proxy or a 429 may end a recovery while the job runs, and a wrong date may keep two from sending.
  for (let again = 0; again < 5 && job === undefined; again += 1) {
    await mock.clock.advance("2m");
    job = await advance(recover());
  }
  // Late requests arrive, and reads are consistent.
  await mock.clock.advance("5m");
  await advance(Promise.resolve(duplicate));
  const jobs = await advance(service.client().jobs.list().toArray());
  const charged = 1_000 - ((await service.balance()) ?? 0);
  const keys = service.keys();
  const isLost = jobs.length === 1 && job === undefined;
  // An error without `recover` proves only that its own call did nothing.
  const isAboutDuplicate = hasDuplicate && !("recover" in Object(first));
  // After the idempotency window, only a key in the metadata leads to the job.
  const isOutcomeUnknown =
    !keyInMetadata &&
    (later === "2h" ||
      [...scenario.clock, ...(proxyClock ?? [])].some(({ change }) =>
        /forward|hours/.test(change),
      )) &&
    ["outcome_unknown", "server_error", "unavailable", "idempotency_conflict"].includes(code);
  const checks: Readonly<Record<string, boolean>> = {
    "a typed error": code !== "untyped",
    "one key": keys.size <= 1 && (!ownKey || keys.size === 0 || keys.has("order-17")),
    "one body": service.bodies().size <= 1,
    "at most one job": jobs.length <= 1,
    "at most one charge": scenario.blocked
      ? charged >= 0 && charged <= jobs.length * 8
      : charged === jobs.length * 8,
    "no denied charge":
      charged <= 0 || job !== undefined || "recover" in Object(error) || isAboutDuplicate,
    "no lost job": !isLost || isOutcomeUnknown || isAboutDuplicate,
    // A proxy adds a signature to the id.
    "the submitted job": job === undefined || job.id.startsWith(jobs[0]?.id ?? "none"),
    "no late end": duration <= timeout,
    "no early end":
      (code !== "wait_timed_out" || duration >= timeout) &&
      (code !== "timed_out" || duration >= Math.min(timeout, 30_000)),
    "no early request": !isEarly || proxyClock !== undefined,
    "no visible key in the metadata": !JSON.stringify([job, jobs]).includes("_tryon_key"),
  };
  const violations = Object.keys(checks).filter((name) => checks[name] !== true);
  return { violations, applied, code };
}

async function recoverJob(error: unknown): Promise<Job | undefined> {
  if (!isTryOnError(error)) return undefined;
  // Only some error classes have `recover`.
  const { recover } = error as { recover?: () => Promise<Job> };
  if (error.job !== undefined || recover === undefined) return error.job;
  return recover.call(error);
}

/** Runs a scenario with a client for pages, and without keys in the metadata, which only a list would find. */
export function runPageScenario(scenario: FaultScenario, mutant?: Mutant) {
  return runScenario({ ...scenario, keyInMetadata: false }, mutant, (service) => ({
    ...openDirectly(service),
    createClient: service.pageClient,
  }));
}

function openDirectly({ client, fetch, mock }: TestService): Page {
  return {
    createClient: client,
    fetch,
    /** Advances time in large steps until the work has ended. */
    advance: async (work) => {
      const hasEnded = trackEnd(work);
      for (let step = 0; !hasEnded(); step += 1) {
        if (step > 800) throw new Error("The work does not end.");
        // Longer than any call takes, the machine sleeps.
        await mock.clock.advance(step < 2 ? "0s" : step < 300 ? "5s" : "1m");
      }
      return work;
    },
  };
}
