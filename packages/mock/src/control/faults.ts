import { readTarget, type Target } from "./call-pattern.ts";
import { drawLatency, strikes } from "./chance.ts";
import { missingIn, type LimitedTransport } from "./transports.ts";
import { checkFields } from "./fault-checks.ts";
import { checkCombination, kindsOf } from "./fault-combinations.ts";
import type { Fault, FaultInput } from "./fault.ts";

interface Standing {
  readonly id: string;
  readonly input: FaultInput;
  readonly target: Target;
  met: number;
  struck: number;
}

/** What happens to one call. */
export interface FaultMatch {
  /** How long it is held up first, in milliseconds. */
  readonly delay: number;
  /** What happens then, if anything does. */
  readonly fault: FaultInput | undefined;
  /** Every fault that has had its part in it. */
  readonly faultIds: readonly string[];
}

/** Everything that faults remember, as plain data. */
export interface FaultsState {
  readonly added: number;
  readonly faults: readonly Fault[];
}

const nothing: FaultMatch = { delay: 0, fault: undefined, faultIds: [] };

/**
 * The faults of a server. They are asked in the order in which they were added: the first that strikes has the call, but
 * for one that has nothing but latency, which adds to it.
 */
export class Faults {
  readonly #seed: string;
  readonly #faces = new Set<LimitedTransport>();
  #added = 0;
  #faults: Standing[] = [];

  constructor(seed: string) {
    this.#seed = seed;
  }

  /**
   * Adds a fault; it stays until it is spent or removed.
   *
   * @throws TypeError or RangeError for a field that cannot be or that contradicts another; it names the way out.
   * @example
   * ```ts
   * mock.faults.add({ on: "POST /api/v1/tryon", times: 1, status: 503, retryAfter: 2 });
   * ```
   */
  add(input: FaultInput): { id: string } {
    checkFields(input);
    checkCombination(input);
    const reason = missingIn(this.#faces, kindsOf(input));
    if (reason !== undefined) throw new RangeError(reason);
    this.#added += 1;
    const id = `fault_${this.#added}`;
    this.#faults.push(begin({ ...structuredClone(input), id, met: 0, struck: 0 }));
    return { id };
  }

  /** Whether nothing is to go wrong. */
  get none(): boolean {
    return this.#faults.length === 0;
  }

  /** Every fault, spent ones too, in the order in which they were added. */
  list(): readonly Fault[] {
    return this.#faults.map(({ id, input, met, struck }) => ({
      ...structuredClone(input),
      id,
      met,
      struck,
    }));
  }

  /** Removes a fault; false when there is none of this id. */
  remove(id: string): boolean {
    const left = this.#faults.filter((fault) => fault.id !== id);
    const removed = left.length < this.#faults.length;
    this.#faults = left;
    return removed;
  }

  /** Removes every fault. */
  clear(): void {
    this.#faults = [];
  }

  /**
   * Says that the server is reached through a face that cannot show every fault: what it cannot show is refused.
   *
   * @throws RangeError when there already is such a fault.
   */
  limitTo(face: LimitedTransport): void {
    for (const { input } of this.#faults) {
      const reason = missingIn([face], kindsOf(input));
      if (reason !== undefined) throw new RangeError(reason);
    }
    this.#faces.add(face);
  }

  /** What happens to this call. Asking counts as a meeting. */
  strikeCall(method: string, path: string): FaultMatch {
    return this.#strike((target) => target.kind === "call" && target.matches(method, path));
  }

  /** What happens to the webhook that is about to be sent. Asking counts as a meeting. */
  strikeWebhook(): FaultMatch {
    return this.#strike((target) => target.kind === "webhook");
  }

  reset(): void {
    this.#faults = [];
    this.#added = 0;
  }

  snapshot(): FaultsState {
    return { added: this.#added, faults: this.list() };
  }

  restore(state: FaultsState): void {
    this.#added = state.added;
    this.#faults = state.faults.map((fault) => begin(structuredClone(fault)));
  }

  #strike(fits: (target: Target) => boolean): FaultMatch {
    if (this.#faults.length === 0) return nothing;
    let delay = 0;
    const faultIds: string[] = [];
    for (const fault of this.#faults) {
      const { times = Number.POSITIVE_INFINITY, after = 0, probability = 1 } = fault.input;
      if (fault.struck >= times || !fits(fault.target)) continue;
      fault.met += 1;
      const meeting = { seed: this.#seed, faultId: fault.id, number: fault.met };
      if (fault.met <= after || !strikes(meeting, probability)) continue;
      fault.struck += 1;
      faultIds.push(fault.id);
      const { latency } = fault.input;
      if (latency !== undefined) delay += drawLatency(meeting, latency);
      const more = kindsOf(fault.input).some((kind) => kind !== "latency");
      if (more) return { delay, fault: fault.input, faultIds };
    }
    return { delay, fault: undefined, faultIds };
  }
}

/**
 * The faults of a server, as its users steer them.
 *
 * @interface
 */
export type MockFaults = Pick<Faults, "add" | "list" | "remove" | "clear" | "limitTo">;

function begin({ id, met, struck, ...input }: Fault): Standing {
  return { id, input, target: readTarget("on", input.on), met, struck };
}
