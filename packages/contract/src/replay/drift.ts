import type { Probe } from "../check.ts";
import { Observer } from "../observe/observer.ts";
import { seenOf, submitOperation, type Seen } from "../observe/seen.ts";
import { openPoints, type OptionValue } from "../open-points.ts";
import { allProbes } from "../probes/index.ts";
import type { Exchange } from "../record/exchange.ts";
import { isEnd } from "../submission.ts";
import { fieldsOf } from "../wire/response.ts";
import { differences, type Difference, type SentPair } from "./compare.ts";

/** Behavior of the target that differs from the recording. */
export interface Drift {
  /** Rules of `spec/rules.json`. */
  readonly rule: string;
  /** Option of the reference server that has this behavior, if there is one. */
  readonly option?: string;
  readonly what: string;
  /** Number of exchanges that show it. */
  readonly count: number;
  /** Up to 3 recorded exchanges that show it, such as `session.ndjson:12`. */
  readonly places: readonly string[];
}

/** Recorded exchange and its repetition. */
export interface Pair {
  readonly recorded: Exchange;
  readonly replayed: Exchange;
  readonly place: string;
}

type Evidence = ReadonlyMap<string, readonly OptionValue[]>;

/** Open points by their option. */
const probes: ReadonlyMap<string, Probe> = new Map(allProbes.map((one) => [one.option, one]));

/** Rules of an operation: of its requests and responses. */
const operationRules: Readonly<Record<string, string>> = {
  "POST /api/v1/tryon": "submit.request-and-answer",
  "GET /api/v1/tryon": "list.request-and-answer",
  "GET /api/v1/tryon/{job_id}": "poll.request-and-answer",
  "GET /api/v1/account": "account.request-and-answer",
  "POST /api/v1/credits/purchase": "purchase.request-and-answer",
  "GET /": "discovery.document.two-urls",
  "GET /api/discovery": "discovery.document.two-urls",
  "GET /api/v1/openapi.json": "discovery.description.openapi-json",
  "GET /api/docs": "discovery.docs.html-page",
};

/** Rules of errors, by their status and the start of their operation. */
const errorRules: readonly (readonly [number, RegExp, string])[] = [
  [400, /^/, "error-response.detail.string"],
  [401, /^/, "auth.key.invalid-401"],
  [402, /purchase/, "purchase.402.payment-failed"],
  [402, /^/, "submit.402.too-few-credits"],
  [403, /^/, "auth.key.disabled-or-revoked-403"],
  [404, /^/, "poll.404.unknown-job"],
  [409, /purchase/, "purchase.409.already-processed"],
  [409, /^/, "submit.idempotency-key.conflict"],
  [422, /^/, "validation-error.detail.array"],
  [429, /^/, "errors.429.rate-limited"],
  [500, /^/, "errors.500.not-charged"],
  [503, /^/, "errors.503.back-off"],
];

/** Rules of values, by their operation and the name of their field. */
const valueRules: readonly (readonly [RegExp, string])[] = [
  [/ detail\[\]\.loc$/, "validation-error.loc.path"],
  [/ detail\[\]\.type$/, "validation-error.type.string"],
  [/ tryon_cost_credits\./, "account.tryon-cost-credits.costs"],
  [/ result_width$/, "sizes.resolution.pixels"],
  [/tryon seed$/, "submit-response.seed.used"],
  [/tryon metadata$/, "submit-response.metadata.echo"],
  [/ seed$/, "job.seed.used"],
  [/ metadata$/, "job.metadata.echo"],
];

/** Rules of costs. */
const costRules: Readonly<Record<string, string>> = {
  0: "test-key.free",
  8: "sizes.1k.cost",
  12: "sizes.2k.cost",
  20: "sizes.4k.cost",
};

/**
 * Compares recorded exchanges with their repetitions.
 *
 * @param session - All recorded exchanges and their places, in the order of the session.
 * @param pairs - Exchanges that were repeated, in the order in which the repetitions ended.
 * @param isCompared - If false, an exchange only gives context to others.
 * @param isOutcomeSet - If true, the job of a submission or poll had to end as recorded.
 */
export function findDrift(
  session: readonly { readonly exchange: Exchange; readonly place: string }[],
  pairs: readonly Pair[],
  isCompared: (pair: Pair) => boolean,
  isOutcomeSet: (pair: Pair) => boolean,
): { readonly drift: readonly Drift[]; readonly notCompared: ReadonlyMap<Exchange, string> } {
  const [before, after] = [new Observer(), new Observer()];
  const recordedEvidence = new Map<Exchange, Evidence>();
  for (const { exchange, place } of session) {
    recordedEvidence.set(exchange, before.add(exchange, place));
  }
  const evidence = new Map<Pair, readonly [Evidence, Evidence]>();
  for (const pair of pairs) {
    const own: Evidence = recordedEvidence.get(pair.recorded) ?? new Map();
    evidence.set(pair, [own, after.add(pair.replayed, pair.place)]);
  }
  const [observed, now] = [before.end(), after.end()];
  const found = new Found();
  const notCompared = new Map<Exchange, string>();
  const submissions = submissionsOf(pairs);
  const possible = optionValues(observed.options);
  const possibleNow = optionValues(now.options);
  const compared = pairs.filter(isCompared);
  const drifted = new Map<string, readonly OptionValue[]>();
  const explained = (pair: Pair, one: Difference): boolean => {
    const [recorded, replayed] = seenPair(pair) ?? [];
    if (recorded === undefined || replayed === undefined) return true;
    return [...drifted].some(([option, values]) =>
      explains(option, values, one, recorded, replayed, evidence.get(pair)),
    );
  };
  const addOption = (option: string, pair: Pair): void => {
    const [own, ownNow] = evidence.get(pair) ?? [];
    const from = own?.get(option) ?? possible.get(option) ?? [];
    const to = ownNow?.get(option) ?? possibleNow.get(option) ?? [];
    drifted.set(option, [...from, ...to]);
    found.add(rulesOf(option), describe(option, from, to), pair.place, option);
  };
  for (const option of probes.keys()) {
    const [values, newValues] = [possible.get(option), possibleNow.get(option)];
    for (const pair of compared) {
      const [one, other] = (evidence.get(pair) ?? []).map((own) => own.get(option));
      const isOther =
        areDisjoint(one, other) || areDisjoint(values, other) || areDisjoint(one, newValues);
      if (isOther) addOption(option, pair);
    }
  }
  // A changed status can hide what a response shows. Then only one of both shows the option.
  for (const pair of compared) {
    const status = differencesOf(pair, submissions).find(({ kind }) => kind === "status");
    if (status === undefined || explained(pair, status)) continue;
    const [own, ownNow] = evidence.get(pair) ?? [];
    const deciding = allProbes.filter((probe) => probe.explains?.status !== undefined);
    const option = deciding.find(({ option: name }) => {
      const isShown = own?.has(name) === true;
      if (isShown === ownNow?.has(name)) return false;
      return !(isShown ? possibleNow : possible).has(name);
    })?.option;
    if (option !== undefined) addOption(option, pair);
  }
  const known = new Set(observed.breaks.map(({ what }) => what));
  for (const pair of compared) {
    for (const one of differencesOf(pair, submissions)) {
      const [recorded, replayed] = seenPair(pair) ?? [];
      if (recorded === undefined || replayed === undefined || explained(pair, one)) continue;
      if (one.kind === "state") {
        const haveEnded = isEnd(recorded.got["status"]) && isEnd(replayed.got["status"]);
        if (!haveEnded || !isOutcomeSet(pair)) {
          notCompared.set(pair.recorded, haveEnded ? otherEnd : oneEnd);
          continue;
        }
      }
      found.add(ruleOf(recorded, one), `${titleOf(recorded)}: ${one.what}`, pair.place);
    }
  }
  for (const { rule, what, places } of now.breaks) {
    // Costs are compared with the recorded ones.
    if (rule === undefined || rule.startsWith("sizes.") || known.has(what)) continue;
    const place = places.find((one) => compared.some((pair) => pair.place === one));
    if (place !== undefined) found.add(rule, what, places[0] ?? place);
  }
  return { drift: found.all, notCompared };
}

const otherEnd = "A job ended otherwise than in the recording";
const oneEnd = "A job had ended in only one of the recording and the replay";

/** Returns the fields of each submission that made a job, by the recorded id of the job. */
function submissionsOf(pairs: readonly Pair[]): ReadonlyMap<unknown, SentPair> {
  const found = new Map<unknown, SentPair>();
  for (const { recorded, replayed } of pairs) {
    const seen = seenOf(recorded, "");
    if (seen?.operation !== submitOperation || seen.status !== 200) continue;
    const { job_id: job } = seen.got;
    if (!found.has(job)) found.set(job, [seen.sent, fieldsOf(replayed.request.body)]);
  }
  return found;
}

function seenPair({ recorded, replayed }: Pair): readonly [Seen, Seen] | undefined {
  const [one, other] = [seenOf(recorded, ""), seenOf(replayed, "")];
  return one && other && [one, other];
}

function differencesOf(
  pair: Pair,
  submissions: ReadonlyMap<unknown, SentPair>,
): readonly Difference[] {
  const [recorded, replayed] = seenPair(pair) ?? [];
  if (recorded === undefined || replayed === undefined) return [];
  return differences(recorded, replayed, submissions.get(recorded.got["job_id"]));
}

/** If true, a difference follows from an option that has another value. */
function explains(
  option: string,
  values: readonly OptionValue[],
  { kind, name }: Difference,
  recorded: Seen,
  replayed: Seen,
  evidence: readonly [Evidence, Evidence] | undefined,
): boolean {
  const { headers, fieldsOf: operation, end, status: decides } = probes.get(option)?.explains ?? {};
  if (kind === "header" && headers?.test(name)) return true;
  if (kind === "field" && operation !== undefined && operation === recorded.operation) return true;
  const hasEvidence = evidence?.some((own) => own.has(option)) === true;
  if (kind === "state") return end === true && hasEvidence;
  if (kind === "value" && !name.startsWith("detail")) return false;
  if (decides === undefined) return false;
  if (hasEvidence || decides(recorded)) return true;
  // The option decides between statuses, also where a response does not show which request was refused.
  return [recorded.status, replayed.status].some((status) => values.includes(status));
}

function ruleOf(
  { operation = "", status, exchange, got }: Seen,
  { kind, name }: Difference,
): string {
  if (kind === "value") {
    const rule = valueRules.find(([start]) => start.test(`${operation} ${name}`))?.[1];
    if (rule !== undefined) return rule;
    if (name === "cost_credits") return costRules[String(got[name])] ?? "job.cost-credits.charged";
  }
  if (kind === "header" && name.startsWith("x-ratelimit-")) return "errors.429.which-headers";
  const title = operation === "" ? exchange.path : operation;
  const error = errorRules.find(([of, start]) => of === status && start.test(title));
  return error?.[2] ?? operationRules[operation] ?? title;
}

function titleOf({ operation, exchange }: Seen): string {
  return operation ?? `${exchange.method} ${exchange.path}`;
}

function rulesOf(option: string): string {
  return probes.get(option)?.rules.join(", ") ?? option;
}

function describe(
  option: string,
  from: readonly OptionValue[],
  to: readonly OptionValue[],
): string {
  const text = (values: readonly OptionValue[]): string =>
    values.map((value) => openPoints.get(option)?.meaningOf(value) ?? String(value)).join(", or ");
  return `${text(to) || "not as recorded"}; recorded: ${text(from) || "otherwise"}`;
}

function optionValues(
  options: ReturnType<Observer["end"]>["options"],
): ReadonlyMap<string, readonly OptionValue[]> {
  return new Map(
    options.flatMap(({ option, possible, contradictions }) =>
      possible === undefined || contradictions.length > 0 ? [] : [[option, possible] as const],
    ),
  );
}

function areDisjoint(
  one: readonly OptionValue[] | undefined,
  other: readonly OptionValue[] | undefined,
): boolean {
  return one !== undefined && other !== undefined && one.every((value) => !other.includes(value));
}

/** Drift by its rule and description. */
class Found {
  readonly #found = new Map<string, Drift & { count: number; places: string[] }>();

  add(rule: string, what: string, place: string, option?: string): void {
    const name = option ?? `${rule} ${what}`;
    const drift = this.#found.get(name) ?? {
      rule,
      ...(option !== undefined && { option }),
      what,
      count: 0,
      places: [],
    };
    drift.count += 1;
    if (drift.places.length < 3) drift.places.push(place);
    this.#found.set(name, drift);
  }

  get all(): readonly Drift[] {
    return [...this.#found.values()];
  }
}
