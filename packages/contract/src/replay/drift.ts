import type { Probe } from "../check.ts";
import { Findings, type Shown } from "../observe/findings.ts";
import { Observer } from "../observe/observer.ts";
import { seenOf, submitOperation, type Seen } from "../seen/seen.ts";
import { openPoints, valuesOf, type OptionValue } from "../open-points.ts";
import { allProbes } from "../probes/index.ts";
import type { Exchange } from "../record/exchange.ts";
import { isEnd } from "../submission.ts";
import { fieldsOf } from "../wire/response.ts";
import { differences, type Difference, type SentPair } from "./compare.ts";

export interface Drift extends Shown {
  readonly rule: string;
  readonly option?: string;
  readonly what: string;
}

export interface Pair {
  readonly recorded: Exchange;
  readonly replayed: Exchange;
  readonly place: string;
}

type Evidence = ReadonlyMap<string, readonly OptionValue[]>;

const probes: ReadonlyMap<string, Probe> = new Map(allProbes.map((one) => [one.option, one]));

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
  const evidence = new Map<Exchange, Evidence>();
  for (const { exchange, place } of session) evidence.set(exchange, before.add(exchange, place));
  for (const { replayed, place } of pairs) evidence.set(replayed, after.add(replayed, place));
  const [observed, now] = [before.end(), after.end()];
  const [possible, possibleNow] = [optionValues(observed.options), optionValues(now.options)];
  const submissions = submissionsOf(pairs);
  const compared = pairs.filter(isCompared).flatMap((pair): Compared[] => {
    const [recorded, replayed] = [seenOf(pair.recorded, ""), seenOf(pair.replayed, "")];
    if (recorded === undefined || replayed === undefined) return [];
    const sent = submissions.get(recorded.got["job_id"]);
    const [own = none, ownNow = none] = [pair.recorded, pair.replayed].map((one) =>
      evidence.get(one),
    );
    const found = differences(recorded, replayed, sent);
    return [{ pair, recorded, replayed, own, ownNow, differences: found }];
  });
  const found = new Findings<Omit<Drift, keyof Shown>>();
  const notCompared = new Map<Exchange, string>();
  const drifted = new Map<string, readonly OptionValue[]>();
  const explained = (one: Compared, difference: Difference): boolean =>
    [...drifted].some(([option, values]) => explains(option, values, difference, one));
  const addOption = (option: string, { own, ownNow, pair: { place } }: Compared): void => {
    const from = own.get(option) ?? possible.get(option) ?? [];
    const to = ownNow.get(option) ?? possibleNow.get(option) ?? [];
    drifted.set(option, [...from, ...to]);
    const rule = probes.get(option)?.rules.join(", ") ?? option;
    found.add(option, { rule, option, what: describe(option, from, to) }, place);
  };
  const addRule = (rule: string, what: string, place: string): void =>
    found.add(`${rule} ${what}`, { rule, what }, place);
  for (const option of probes.keys()) {
    const [values, newValues] = [possible.get(option), possibleNow.get(option)];
    for (const one of compared) {
      const [own, ownNow] = [one.own.get(option), one.ownNow.get(option)];
      const isOther =
        areDisjoint(own, ownNow) || areDisjoint(values, ownNow) || areDisjoint(own, newValues);
      if (isOther) addOption(option, one);
    }
  }
  // A changed status can hide what a response shows. Then only one of both shows the option.
  for (const one of compared) {
    const status = one.differences.find(({ kind }) => kind === "status");
    if (status === undefined || explained(one, status)) continue;
    const deciding = allProbes.find(({ option, explains: { status: decides } = {} }) => {
      const isShown = one.own.has(option);
      if (decides === undefined || isShown === one.ownNow.has(option)) return false;
      if ((isShown ? possibleNow : possible).has(option)) return false;
      const shown = (isShown ? one.own : one.ownNow).get(option) ?? [];
      const { status: other } = isShown ? one.replayed : one.recorded;
      const others = valuesOf(option).filter((value) => !shown.includes(value));
      // Another value that is a status has that status.
      return others.some((value) => value === other || !isErrorStatus(value));
    });
    if (deciding !== undefined) addOption(deciding.option, one);
  }
  for (const one of compared) {
    const { pair, recorded, replayed } = one;
    const { method, path } = pair.recorded;
    const title = recorded.operation ?? `${method} ${path}`;
    for (const difference of one.differences) {
      if (explained(one, difference)) continue;
      if (difference.kind === "state") {
        const haveEnded = isEnd(recorded.got["status"]) && isEnd(replayed.got["status"]);
        if (!haveEnded || !isOutcomeSet(pair)) {
          notCompared.set(pair.recorded, haveEnded ? otherEnd : oneEnd);
          continue;
        }
      }
      addRule(ruleOf(recorded, difference), `${title}: ${difference.what}`, pair.place);
    }
  }
  const known = new Set(observed.breaks.map(({ what }) => what));
  for (const { rule, what, places } of now.breaks) {
    // Costs are compared with the recorded ones.
    if (rule === undefined || rule.startsWith("sizes.") || known.has(what)) continue;
    const isShown = compared.some(({ pair }) => places.includes(pair.place));
    if (isShown) addRule(rule, what, places[0] ?? "");
  }
  return { drift: found.all, notCompared };
}

interface Compared {
  readonly pair: Pair;
  readonly recorded: Seen;
  readonly replayed: Seen;
  readonly own: Evidence;
  readonly ownNow: Evidence;
  readonly differences: readonly Difference[];
}

function isErrorStatus(value: OptionValue): boolean {
  return typeof value === "number" && value >= 400 && value < 600;
}

const none: Evidence = new Map();

const otherEnd = "A job ended otherwise than in the recording";
const oneEnd = "A job had ended in only one of the recording and the replay";

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

function explains(
  option: string,
  values: readonly OptionValue[],
  { kind, name }: Difference,
  { recorded, replayed, own, ownNow }: Compared,
): boolean {
  const { headers, fieldsOf: operation, end, status: decides } = probes.get(option)?.explains ?? {};
  if (kind === "header" && headers?.test(name)) return true;
  if (kind === "field" && operation !== undefined && operation === recorded.operation) return true;
  const hasEvidence = own.has(option) || ownNow.has(option);
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
