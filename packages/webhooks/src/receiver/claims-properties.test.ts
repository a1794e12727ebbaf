import * as fc from "fast-check";
import { expect, it } from "vitest";
import { cases } from "@tryon/test-kit/cases";
import { createMemoryStore } from "../index.ts";
import type { HandlerContext, ReceiverStore, TryOnCompletedEvent } from "../index.ts";
import { ManualClock } from "../../test/manual-clock.ts";
import { ReceivingProcess } from "../../test/receiving-process.ts";
import type { Attempt } from "../../test/receiving-process.ts";

/** Call of a handler, and the time in which no other handler of the event may run. */
interface Call {
  readonly job: string;
  readonly machine: Machine;
  readonly process: ReceivingProcess;
  succeeded: boolean;
  readonly from: number;
  to: number;
  readonly succeed: () => void;
  readonly fail: (error: Error) => void;
}

/** Machine that runs one process after another. */
interface Machine {
  process: ReceivingProcess;
}

/** Machines with a shared store, and the violations of the promises of the receiver. */
class Cluster {
  readonly clock = new ManualClock();
  readonly calls: Call[] = [];
  readonly violations: string[] = [];
  readonly machines: Machine[] = [];
  readonly #done = new Set<string>();
  readonly #shared: ReceiverStore;

  constructor(machines: number) {
    const memory = createMemoryStore({ clock: this.clock });
    this.#shared = {
      claim: (...claim) => memory.claim(...claim),
      release: (...release) => memory.release(...release),
      done: async (key, ttl) => {
        await memory.done(key, ttl);
        this.#done.add(key);
      },
    };
    for (let index = 0; index < machines; index += 1) this.boot();
  }

  boot(): Machine {
    const machine: Machine = { process: this.#start(() => machine) };
    this.machines.push(machine);
    return machine;
  }

  /** Kills the process of a machine and starts another. */
  restart(machine: Machine): void {
    machine.process.crash();
    for (const call of this.calls) if (call.machine === machine) this.#end(call);
    machine.process = this.#start(() => machine);
  }

  /** Sends a delivery and checks the promise of its response. */
  async deliver(machine: Machine, job_id: string): Promise<Attempt> {
    const attempt = await machine.process.deliver({ job_id });
    void this.#check(attempt, job_id);
    return attempt;
  }

  async #check({ response }: Attempt, job: string): Promise<void> {
    const { status } = await response;
    if (status === 204 && !this.#done.has(keyOf(job))) {
      this.violations.push(`${job} got 204 before it was done`);
    }
  }

  async finish(call: Call, end: "succeed" | "fail"): Promise<void> {
    this.#end(call);
    call.succeeded = end === "succeed";
    if (call.succeeded) call.succeed();
    else call.fail(new Error("The handler failed."));
    await this.clock.advance(0);
  }

  #start(machine: () => Machine): ReceivingProcess {
    const onCompleted = (event: TryOnCompletedEvent, context: HandlerContext) =>
      this.#call(machine(), event, context);
    return new ReceivingProcess(this.#shared, this.clock, { onCompleted });
  }

  #call(machine: Machine, { job_id: job }: TryOnCompletedEvent, { signal }: HandlerContext) {
    if (this.#done.has(keyOf(job))) this.violations.push(`${job} was handled after it was done`);
    const { promise, resolve: succeed, reject: fail } = Promise.withResolvers<void>();
    const { process } = machine;
    const repeated = (call: Call) => call.succeeded && call.job === job && call.process === process;
    if (this.calls.some(repeated))
      this.violations.push(`${job} was handled again by the process that had handled it`);
    const now = this.clock.now();
    const own = { job, machine, process };
    const call = { ...own, succeeded: false, from: now, to: Infinity, succeed, fail };
    signal.addEventListener("abort", () => this.#end(call));
    this.calls.push(call);
    return promise;
  }

  #end(call: Call): void {
    call.to = Math.min(call.to, this.clock.now());
  }

  /** Calls for one event that started before an earlier one had ended. */
  overlaps(): readonly Call[] {
    return this.calls.filter((call, index) =>
      this.calls.slice(0, index).some(({ job, to }) => job === call.job && to > call.from),
    );
  }
}

function keyOf(job: string): string {
  return `tryon.completed:${job}`;
}

/** One step. Each kind uses some of the fields. */
const step = fc.record({
  kind: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom("deliver", "pass") },
    { weight: 5, arbitrary: fc.constantFrom("succeed", "fail", "kill", "cut", "hang") },
  ),
  which: fc.nat(11),
  job: fc.constantFrom("job_1", "job_1", "job_1", "job_2"),
  span: fc.nat(9_000),
  faults: fc.subarray(["claim", "done", "release"] as const),
});

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

async function run(cluster: Cluster, { kind, which, job, span, faults }: Step): Promise<void> {
  const machine = cluster.machines[which % cluster.machines.length];
  const running = cluster.calls.filter(({ to }) => to === Infinity);
  const call = running[which % Math.max(1, running.length)];
  if (machine === undefined) return;
  const { store } = machine.process;
  if (kind === "pass") await cluster.clock.advance(span);
  if (kind === "deliver") await cluster.deliver(machine, job);
  if (kind === "kill") cluster.restart(machine);
  if (kind === "cut") {
    store.failing.clear();
    for (const fault of faults) store.failing.add(fault);
  }
  if (kind === "hang") {
    for (const fault of faults) cluster.clock.setTimeout(store.block(fault), 2 * span);
  }
  if ((kind === "succeed" || kind === "fail") && call !== undefined) {
    await cluster.finish(call, kind);
  }
}

const history = fc.array(step, { minLength: 10, maxLength: 60, size: "max" });

it("never handles an event concurrently or after done, and never responds 204 before, under any faults", async () => {
  const property = fc.asyncProperty(history, async (steps) => {
    const cluster = new Cluster(3);
    for (const one of steps) await run(cluster, one);
    await cluster.clock.advance(60_000);
    expect(cluster.violations).toEqual([]);
    expect(cluster.overlaps()).toEqual([]);
  });
  await fc.assert(property, { numRuns: cases(1_000) });
});

it("handles an event with one more attempt after any faults", async () => {
  const property = fc.asyncProperty(history, async (steps) => {
    const cluster = new Cluster(3);
    for (const one of steps) await run(cluster, one);
    for (const machine of cluster.machines) cluster.restart(machine);
    await cluster.clock.advance(15_000);
    const fresh = cluster.boot();
    const attempt = await cluster.deliver(fresh, "job_1");
    const last = cluster.calls.at(-1);
    if (last?.machine === fresh) await cluster.finish(last, "succeed");
    expect((await attempt.response).status).toBe(204);
    expect(cluster.violations).toEqual([]);
  });
  await fc.assert(property, { numRuns: cases(1_000) });
});
