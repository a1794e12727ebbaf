import { OptionsError } from "@tryon/shared/options";

import { milliseconds } from "../system/duration.ts";
import { host } from "../system/host.ts";
import { drawLogNormal } from "../system/log-normal.ts";
import { SeededRandom } from "../system/random.ts";
import { checkFault, isFinal } from "./check-fault.ts";
import type { FaultMiss } from "./exchange.ts";
import type { Fault, FaultInput, Latency } from "./fault.ts";
import { parseTarget, type RequestPattern } from "./request-pattern.ts";

interface ActiveFault {
  readonly fault: { -readonly [Field in keyof Fault]: Fault[Field] };
  /** Undefined for webhooks. */
  readonly pattern: RequestPattern | undefined;
}

export interface FaultMatch {
  readonly delay: number;
  readonly fault: FaultInput | undefined;
  readonly faultIds: readonly string[];
  readonly misses: readonly FaultMiss[];
}

type TargetTest = (pattern: RequestPattern | undefined) => boolean;

export interface FaultsState {
  readonly added: number;
  readonly faults: readonly Fault[];
}

/**
 * Faults of a server, checked in the order in which they were added. The first that applies replaces the outcome; a
 * fault with `latency` alone adds its delay, and the next faults are checked.
 */
export class Faults {
  readonly #seed: string;
  #added = 0;
  #faults: ActiveFault[] = [];
  #isBehindMsw = false;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /**
   * Adds a fault, which stays until it has applied `times` times or is removed.
   *
   * @throws TypeError for an invalid field or one that contradicts another; it names the fix.
   * @example
   * ```ts
   * mock.faults.add({ on: "POST /api/v1/tryon", times: 1, status: 503, retryAfter: 2 });
   * ```
   */
  add(input: FaultInput): {
    /** Id for `remove`, such as `fault_1`. */
    id: string;
  } {
    checkFault(input);
    if (this.#isBehindMsw) checkForMsw(input);
    this.#added += 1;
    const id = `fault_${this.#added}`;
    this.#faults.push(activate({ ...host.copy(input), id, matched: 0, applied: 0 }));
    return { id };
  }

  get isEmpty(): boolean {
    return this.#faults.length === 0;
  }

  /** Returns every fault in the order in which they were added, including those that no longer apply. */
  list(): readonly Fault[] {
    return this.#faults.map(({ fault }) => host.copy(fault));
  }

  /** Removes a fault; returns false if the id is unknown. */
  remove(id: string): boolean {
    const remaining = this.#faults.filter(({ fault }) => fault.id !== id);
    const removed = remaining.length < this.#faults.length;
    this.#faults = remaining;
    return removed;
  }

  /** Removes every fault. */
  clear(): void {
    this.#faults = [];
  }

  /**
   * Limits the faults to those that exist behind msw.
   *
   * @throws TypeError if a fault exists that msw cannot produce.
   */
  limitTo(_transport: "msw"): void {
    for (const { fault } of this.#faults) checkForMsw(fault);
    this.#isBehindMsw = true;
  }

  /** Returns the faults that apply to a request, and counts it. */
  matchRequest(method: string, path: string): FaultMatch {
    return this.#match(
      (pattern) => pattern?.matches(method, path) === true,
      (pattern) => pattern?.matches(pattern.method, path) === true,
    );
  }

  /** Returns the faults that apply to the next webhook, and counts it. */
  matchWebhook(): FaultMatch {
    return this.#match(
      (pattern) => pattern === undefined,
      () => false,
    );
  }

  reset(): void {
    this.restore({ added: 0, faults: [] });
  }

  snapshot(): FaultsState {
    return { added: this.#added, faults: this.list() };
  }

  restore({ added, faults }: FaultsState): void {
    this.#added = added;
    this.#faults = faults.map((fault) => activate(host.copy(fault)));
  }

  #match(isTarget: TargetTest, isNear: TargetTest): FaultMatch {
    let delay = 0;
    const faultIds: string[] = [];
    const misses: FaultMiss[] = [];
    for (const { fault, pattern } of this.#faults) {
      const { times = Number.POSITIVE_INFINITY, after = 0, probability = 1, latency } = fault;
      const miss = (reason: string): void => void misses.push({ faultId: fault.id, reason });
      if (!isTarget(pattern)) {
        if (isNear(pattern)) miss(`applies to ${pattern?.method} only`);
        continue;
      }
      if (fault.applied >= times) {
        miss(`has applied ${times === 1 ? "once" : `${times} times`}, its maximum`);
        continue;
      }
      fault.matched += 1;
      // The seed, the fault and the number of the match alone determine each draw, whatever else is drawn.
      const random = (purpose: string): SeededRandom =>
        new SeededRandom([this.#seed, purpose, fault.id, fault.matched].join("\n"));
      if (fault.matched <= after) {
        miss(`skips request ${fault.matched} of the first ${after}`);
        continue;
      }
      if (probability < 1 && random("probability").fraction() >= probability) {
        miss(`was not drawn, with probability ${probability}`);
        continue;
      }
      fault.applied += 1;
      faultIds.push(fault.id);
      if (latency !== undefined) delay += drawLatency(latency, random("latency"));
      if (isFinal(fault)) return { delay, fault, faultIds, misses };
    }
    return { delay, fault: undefined, faultIds, misses };
  }
}

/**
 * Faults of a server.
 *
 * @interface
 */
export type MockFaults = Pick<Faults, "add" | "list" | "remove" | "clear" | "limitTo">;

function activate(fault: Fault): ActiveFault {
  return { fault, pattern: parseTarget("on", fault.on) };
}

function checkForMsw({ truncateAt }: FaultInput): void {
  if (truncateAt === undefined) return;
  const hint = "Call mock.fetch, or serve the mock with @tryon/mock/node.";
  throw new OptionsError(
    "truncateAt",
    "is not available through msw, which needs whole bodies",
    hint,
  );
}

function drawLatency(latency: Latency, random: SeededRandom): number {
  if (typeof latency !== "object") return milliseconds(latency);
  return drawLogNormal(random, milliseconds(latency.median), "p95", milliseconds(latency.p95));
}
