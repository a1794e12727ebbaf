import { optionTable, stockEngine, type Engine, type Options } from "@tryon/mock";
import { array, boolean, constantFrom, record, tuple, type Arbitrary } from "fast-check";

import { isTryOnError, type Job, type TryOn, type TryOnOptions } from "../src/index.ts";
import type { Fetch } from "../src/http/attempt.ts";
import { networkFaultNames, networkFaults, type NetworkFault } from "./network-faults.ts";
import { input, openService, trackEnd, type TestService } from "./service.ts";

/** One try-on, everything that goes wrong with it, and the service that it is made at. */
export interface FaultScenario {
  readonly options: Options;
  readonly faults: readonly NetworkFault[];
  readonly call: "run" | "submit";
  readonly sync: boolean | "auto";
  readonly ownKey: boolean;
  /** Whether another process submits the same under the same own key at the same time, and nothing goes wrong there. */
  readonly duplicate: boolean;
  /** Whether a garment is sent as bytes. */
  readonly bytes: boolean;
  readonly keyInMetadata: boolean;
  readonly retries: number;
  readonly timeout: "8s" | "2m" | "20m";
  /** How long the job takes. */
  readonly latency: "0.1s" | "3s" | "40s";
  /** How long after the call has failed the job is asked for. */
  readonly later: "0s" | "10m" | "2h";
  readonly blocked: boolean;
  /** Whether the engine cannot be reached at first, so that a charge is taken back and the key may replay a 500. */
  readonly unreachable: boolean;
}

const often = <Value>(value: Value, ...others: Value[]) =>
  constantFrom(value, value, value, ...others);

/** Every mixture of options, faults and ways to call. */
export const faultScenarios: Arbitrary<FaultScenario> = record({
  // One value of its own row for each option, which the compiler cannot see through fromEntries.
  options: tuple(...optionTable.map(({ values }) => constantFrom<unknown>(...values))).map(
    (values) =>
      Object.fromEntries(optionTable.map(({ id }, index) => [id, values[index]])) as Options,
  ),
  faults: array(constantFrom(...networkFaultNames), { minLength: 1, maxLength: 7 }),
  call: constantFrom("run", "submit"),
  sync: constantFrom<FaultScenario["sync"]>(true, false, "auto"),
  ownKey: boolean(),
  duplicate: often(false, true),
  bytes: often(false, false, true),
  keyInMetadata: boolean(),
  retries: often(3, 2, 1, 0),
  timeout: often<FaultScenario["timeout"]>("20m", "2m", "8s"),
  latency: constantFrom("0.1s", "3s", "40s"),
  later: often<FaultScenario["later"]>("0s", "10m", "2h"),
  blocked: often(false, true),
  unreachable: often(false, false, false, true),
});

/** What makes a client wrong. */
export interface Mutant {
  readonly options?: TryOnOptions;
  readonly fetch?: (fetch: Fetch) => Fetch;
  /** What becomes of the error of a call. */
  readonly error?: (error: unknown) => unknown;
}

/** What came of it. */
export interface Outcome {
  readonly violations: readonly string[];
  /** What went wrong indeed: a call may end before all of it has. */
  readonly struck: readonly NetworkFault[];
  readonly code: string;
}

const stock = stockEngine();
/** Large enough not to be sent in one piece, and a PNG as far as anybody looks. */
const picture = Uint8Array.of(
  0x89,
  0x50,
  0x4e,
  0x47,
  0x0d,
  0x0a,
  0x1a,
  0x0a,
  ...new Uint8Array(70_000),
);

/** Makes a try-on in all that goes wrong, follows the error as its user would, and says what was not as promised. */
export async function runScenario(scenario: FaultScenario, mutant: Mutant = {}): Promise<Outcome> {
  const engine = new FalteringEngine(scenario.unreachable);
  const { latency, options } = scenario;
  const service = openService({ profile: "default", options, latency, engine, journalLimit: 1 });
  try {
    return await runScenarioIn(service, scenario, mutant);
  } finally {
    service.mock.close();
  }
}

async function runScenarioIn(
  service: TestService,
  scenario: FaultScenario,
  mutant: Mutant,
): Promise<Outcome> {
  const { mock, submissions } = service;
  const { retries, keyInMetadata, later, sync, timeout, call } = scenario;
  const fetch = mutant.fetch?.(service.fetch) ?? service.fetch;
  const tryon = service.client({ fetch, retries, keyInMetadata, ...mutant.options });
  const faults = scenario.faults.map((name) => networkFaults[name]);
  service.faults.push(...faults);
  const own = scenario.ownKey ? { idempotencyKey: "order-17" } : {};
  const asked = {
    ...input,
    ...(scenario.bytes ? { garments: [picture] } : {}),
    ...(scenario.blocked ? { prompt: "mock:content_blocked" } : {}),
  };
  const make = (client: TryOn): Promise<Job> =>
    call === "submit"
      ? client.submit(asked, { timeout, ...own })
      : client.run(asked, { timeout, sync, ...own }).then(({ job }) => job);
  const duplicate = scenario.duplicate && scenario.ownKey;
  const elsewhere =
    duplicate && make(service.client({ fetch: mock.fetch, keyInMetadata })).catch(() => undefined);
  const work = make(tryon);
  let error: unknown;
  let job = await passing(
    service,
    work.catch((thrown: unknown) => {
      error = mutant.error?.(thrown) ?? thrown;
      return undefined;
    }),
  );
  const code = isTryOnError(error) ? error.code : error === undefined ? "none" : "untyped";
  if (error !== undefined) {
    await mock.clock.advance(later);
    // What is left of the networkFaults strikes the first recovery, too.
    job = await passing(service, jobOf(error));
  }
  const struck = scenario.faults.slice(0, faults.length - service.faults.length);
  service.faults.length = 0;
  // A recovery may itself be cut off by a proxy while the job goes on, or be held back by a 429: it is repeated later.
  for (let again = 0; again < 3 && job === undefined; again += 1) {
    await mock.clock.advance("2m");
    job = await passing(service, jobOf(error));
  }
  // Whatever is still on its way arrives, and no read lags behind.
  await mock.clock.advance("5m");
  await passing(service, Promise.resolve(elsewhere));
  const jobs = await passing(service, service.client().jobs.list().toArray());
  const charged = 1_000 - ((await mock.ledger(mock.keys.live))?.balance ?? 0);
  const keys = new Set(submissions().map(({ headers }) => headers.get("idempotency-key")));
  const bodies = new Set(submissions().map(({ body }) => body));
  const lost = jobs.length === 1 && job === undefined;
  // A call that was refused speaks for itself, not for its duplicate.
  const leads = "recover" in Object(error);
  // Once it is too late to send again, only a mark tells.
  const honest = code === "outcome_unknown" || code === "server_error" || code === "unavailable";
  const unknowable =
    later === "2h" && !keyInMetadata && (honest || code === "idempotency_conflict");
  const checks: Readonly<Record<string, boolean>> = {
    "a typed error": code !== "untyped",
    "one key": keys.size <= 1 && (!scenario.ownKey || keys.size === 0 || keys.has("order-17")),
    "the same bytes": bodies.size <= 1,
    "one job at most": jobs.length <= 1,
    "one charge at most": scenario.blocked
      ? charged >= 0 && charged <= jobs.length * 8
      : charged === jobs.length * 8,
    "a job that is not lost": !lost || unknowable || (duplicate && !leads),
    "the job that was made": job === undefined || job.id === jobs[0]?.id,
    "no sign of the mark": !JSON.stringify([job, jobs]).includes("_tryon_key"),
  };
  const violations = Object.keys(checks).filter((name) => checks[name] !== true);
  return { violations, struck, code };
}

/** The job that an error leads to, if it does. */
async function jobOf(error: unknown): Promise<Job | undefined> {
  if (!isTryOnError(error)) return undefined;
  // Of several classes of errors, and absent from the rest.
  const { recover } = error as { recover?: () => Promise<Job> };
  if (error.job !== undefined || recover === undefined) return error.job;
  try {
    return await recover.call(error);
  } catch {
    return undefined;
  }
}

/** Moves time in strides until the work has ended. */
async function passing<Result>({ mock }: TestService, work: Promise<Result>): Promise<Result> {
  const hasEnded = trackEnd(work);
  for (let stride = 0; !hasEnded(); stride += 1) {
    if (stride > 400) throw new Error("The work does not end.");
    await mock.clock.advance(stride < 2 ? "0s" : "5s");
  }
  return work;
}

/** An engine that cannot be reached for the first job, if it is to be so. Its pictures are drawn once for all faultScenarios. */
class FalteringEngine implements Engine {
  readonly name = "faltering";
  #unreachable: boolean;

  constructor(unreachable: boolean) {
    this.#unreachable = unreachable;
  }

  async prepare(): Promise<void> {
    const fails = this.#unreachable;
    this.#unreachable = false;
    if (fails) throw new Error("out of reach");
  }

  render(request: Parameters<Engine["render"]>[0]) {
    return stock.render(request);
  }
}
