import { isDeepStrictEqual } from "node:util";

import openapi from "@tryon/spec/openapi.json" with { type: "json" };

import { Judgment, type OptionValue } from "../open-points.ts";
import { allProbes, deviations } from "../probes/index.ts";
import type { Exchange } from "../record/exchange.ts";
import { SchemaChecks } from "../schema-checks.ts";
import { isEnd } from "../submission.ts";
import { costs } from "../target/budget.ts";
import { documentedHeaders } from "../wire/document.ts";
import { elementsOf, fieldsOf, type Fields, type SentRequest } from "../wire/response.ts";
import { Findings, type Shown } from "./findings.ts";
import { Memory, sizeOf } from "../seen/memory.ts";
import { rebuilt } from "../seen/rebuilt.ts";
import { pollOperation, seenOf, submitOperation, type Seen } from "../seen/seen.ts";

export interface ObservedOption {
  readonly option: string;
  readonly rules: readonly string[];
  readonly value: OptionValue | undefined;
  /** Values that the traffic leaves possible, if it excludes others. */
  readonly possible: readonly OptionValue[] | undefined;
  readonly evidence: readonly string[];
  readonly contradictions: readonly string[];
}

interface SizeLatency {
  readonly jobs: number;
  readonly p10: number;
  readonly p50: number;
  readonly p90: number;
}

export interface Finding extends Shown {
  readonly rule?: string;
  readonly what: string;
}

export interface TrafficObservation {
  readonly exchanges: number;
  readonly unanswered: number;
  readonly options: readonly ObservedOption[];
  readonly latency: Readonly<Record<string, SizeLatency>>;
  readonly statuses: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly unknown: readonly Finding[];
  readonly breaks: readonly Finding[];
}

const maxDurations = 10_000;

/** Headers of HTTP that any service may send. */
const commonHeaders =
  /^(?:access-control-.*|age|allow|alt-svc|cache-control|connection|content-.*|date|etag|expires|keep-alive|last-modified|location|server|set-cookie|strict-transport-security|transfer-encoding|vary|via|x-content-type-options|x-frame-options|x-mock.*)$/;

const knownFields = new Set(
  Object.values(openapi.components.schemas).flatMap((schema) =>
    Object.keys(fieldsOf(fieldsOf(schema)["properties"])),
  ),
);

export class Observer {
  readonly #memory = new Memory();
  readonly #schemas = new SchemaChecks("https://recorded.example", deviations);
  readonly #points = allProbes.map((probe) => ({
    ...probe,
    judgment: new Judgment(probe.option, probe.decisive),
  }));
  readonly #durations = new Map<string, number[]>();
  readonly #statuses = new Map<string, Map<number, number>>();
  readonly #unknown = new Findings<Pick<Finding, "rule" | "what">>();
  readonly #breaks = new Findings<Pick<Finding, "rule" | "what">>();
  #exchanges = 0;
  #unanswered = 0;

  /**
   * Adds an exchange, in the order of the session.
   *
   * @param place - File and line, such as `session.ndjson:12`.
   * @returns the values of options that this exchange alone allows.
   */
  add(exchange: Exchange, place: string): ReadonlyMap<string, readonly OptionValue[]> {
    this.#exchanges += 1;
    const seen = seenOf(exchange, place);
    if (seen === undefined) this.#unanswered += 1;
    // An incomplete response would look like one without fields.
    if (seen === undefined || exchange.error !== undefined) {
      if (exchange.method === "POST") this.#memory.balances.forget(exchange.key);
      return new Map();
    }
    const evidence = this.#judge(seen);
    this.#countStatus(seen);
    this.#checkFields(seen);
    this.#checkSchema(seen);
    this.#checkRules(seen);
    const endedBefore = this.#memory.job(seen)?.ended !== undefined;
    this.#memory.add(seen);
    const job = this.#memory.job(seen);
    if (job && !endedBefore) this.#addDuration(seen, job.size, job.isTest);
    return evidence;
  }

  end(): TrafficObservation {
    const latency = ["1K", "2K", "4K"].flatMap((size) => {
      // Jobs of test keys can be faster than others.
      const durations = this.#durations.get(`${size} live`) ?? this.#durations.get(`${size} test`);
      return durations ? [[size, percentiles(durations)] as const] : [];
    });
    return {
      exchanges: this.#exchanges,
      unanswered: this.#unanswered,
      options: this.#points.map(({ option, rules, judgment }) => {
        const { value, possible, evidence, contradictions } = judgment;
        return { option, rules, value, possible, evidence, contradictions };
      }),
      latency: Object.fromEntries(latency),
      statuses: Object.fromEntries(
        [...this.#statuses].map(([operation, counts]) => [operation, Object.fromEntries(counts)]),
      ),
      unknown: this.#unknown.all,
      breaks: this.#breaks.all,
    };
  }

  #judge(seen: Seen): ReadonlyMap<string, readonly OptionValue[]> {
    const found = new Map<string, readonly OptionValue[]>();
    for (const { option, judge, judgment } of this.#points) {
      const evidence = judge?.(seen, this.#memory);
      judgment.add(evidence, seen.place);
      if (typeof evidence === "object") found.set(option, evidence);
    }
    return found;
  }

  #countStatus({ operation = "other paths", status }: Seen): void {
    const counts = this.#statuses.get(operation) ?? new Map<number, number>();
    this.#statuses.set(operation, counts.set(status, (counts.get(status) ?? 0) + 1));
  }

  #checkFields(seen: Seen): void {
    if (seen.operation === undefined || seen.isHtml || seen.operation.includes("openapi")) return;
    for (const name of Object.keys(seen.headers)) {
      const isKnown = documentedHeaders.has(name) || commonHeaders.test(name);
      if (!isKnown) add(this.#unknown, `header ${name}`, seen.place);
    }
    // Elsewhere any field is valid.
    if (!/tryon|account|purchase/.test(seen.operation)) return;
    for (const name of namesIn(seen.got)) {
      if (!knownFields.has(name))
        add(this.#unknown, `field ${name} of ${seen.operation}`, seen.place);
    }
  }

  #checkSchema({ exchange, status, got, place }: Seen): void {
    const body = rebuilt(exchange.response?.body ?? null);
    const request: SentRequest = {
      method: exchange.method,
      url: `https://recorded.example${exchange.path}`,
      headers: exchange.key === null ? {} : { authorization: exchange.key },
      body: undefined,
    };
    const known = Object.entries(exchange.response?.headers ?? {}).filter(([name]) =>
      /^[\w-]+$/.test(name),
    );
    // The recorder has removed the texts of a body that is not JSON.
    const json = Array.isArray(body) || Object.keys(got).length > 0 ? body : undefined;
    const response = {
      request,
      status,
      headers: new Headers(known),
      bytes: new Uint8Array(),
      text: "",
      json,
    };
    for (const problem of this.#schemas.check(response)) add(this.#breaks, problem, place);
  }

  #checkRules(seen: Seen): void {
    const { status, got, key, sent, place, operation } = seen;
    const job = this.#memory.job(seen);
    if (status !== 200) return;
    const isLater = job?.ended && job.ended.at < seen.sentAt && operation === pollOperation;
    if (isLater && job.ended?.status !== got["status"]) {
      add(
        this.#breaks,
        `a ${String(job.ended?.status)} job became ${String(got["status"])}`,
        place,
        "states.terminal.final",
      );
    }
    if (operation !== submitOperation) return;
    const first = this.#memory.first(seen);
    const isRepeated = first?.status === 200 && isDeepStrictEqual(first.sent, sent);
    if (isRepeated && first.jobId !== undefined && first.jobId !== got["job_id"]) {
      add(
        this.#breaks,
        "a repeated submission made a second job",
        place,
        "submit.idempotency-key.same-body",
      );
    }
    const size = sizeOf(sent) ?? "";
    const { cost_credits: cost } = got;
    if (!key?.startsWith("live-") || typeof cost !== "number" || !(size in costs)) return;
    if (cost !== costs[size] && !isEnd(got["status"])) {
      const rule = `sizes.${size.toLowerCase()}.cost`;
      add(this.#breaks, `a try-on in ${size} cost ${cost}`, place, rule);
    }
  }

  #addDuration({ got }: Seen, size: string | undefined, isTest: boolean): void {
    const { status, duration_ms: duration, cost_credits: cost } = got;
    if (status !== "succeeded" || typeof duration !== "number") return;
    const known = size ?? Object.keys(costs).find((one) => costs[one] === cost);
    if (known === undefined) return;
    const name = `${known} ${isTest ? "test" : "live"}`;
    const durations = this.#durations.get(name) ?? [];
    if (durations.length < maxDurations) durations.push(duration);
    this.#durations.set(name, durations);
  }
}

function add(
  to: Findings<Pick<Finding, "rule" | "what">>,
  what: string,
  place: string,
  rule?: string,
): void {
  to.add(what, { ...(rule && { rule }), what }, place);
}

function percentiles(durations: readonly number[]): SizeLatency {
  const sorted = durations.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return { jobs: sorted.length, p10: at(0.1), p50: at(0.5), p90: at(0.9) };
}

function namesIn(got: Fields): readonly string[] {
  const own = Object.keys(got).filter((name) => name !== "detail");
  const jobs = elementsOf(got["jobs"]).flatMap((job) => Object.keys(fieldsOf(job)));
  return [...new Set([...own, ...jobs])];
}
