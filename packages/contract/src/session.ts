import { randomBytes } from "node:crypto";

import { must, SkipCheck } from "./outcome.ts";
import { images } from "./images.ts";
import type { KeyKind } from "./check.ts";
import {
  missingKey,
  type CheckContext,
  type Key,
  type KeyName,
  type NewKey,
} from "./check-context.ts";
import { callInput, tokenOf, type CallOptions, type SubmitOptions } from "./calls.ts";
import { jobIdOf } from "./submission.ts";
import { costs } from "./target/budget.ts";
import type { Control } from "./target/control.ts";
import type { Hook } from "./target/receiver.ts";
import type { Time } from "./target/time.ts";
import { fieldsOf, type HttpResponse, type Fields } from "./wire/response.ts";

/** How often a 429 is waited out before it counts as the answer. */
const patience = 5;

/** How long a job may take, in milliseconds. */
const jobTime = 180_000;

/**
 * What a check works with: calls that are paced, watched and paid for out of the budget, time, and what else the run has.
 * One session serves one check.
 */
export class Session {
  readonly bench: CheckContext;
  readonly time: Time;
  /** The key that the check works on. */
  readonly key: Key;
  /** The credits that it has taken out of the budget. */
  spent = 0;
  /** How many calls it has sent. */
  sent = 0;
  /** The tokens of its own keys: what they spend is nobody's. */
  readonly #made = new Set<string>();
  readonly #faults: string[] = [];
  readonly #hooks: Hook[] = [];

  /** @throws Skip when the run has no key of this kind. */
  constructor(bench: CheckContext, on: KeyKind) {
    this.bench = bench;
    this.time = bench.time;
    const { test, live } = bench.keys;
    const key = on === "any" ? (test ?? live) : bench.keys[on];
    if (key === undefined) throw new SkipCheck(missingKey(on === "any" ? "test" : on));
    this.key = key;
  }

  /** The address of a path of the deployment. */
  url(path: string): string {
    return `${this.bench.baseUrl.replace(/\/+$/, "")}${path}`;
  }

  /** A word that nothing else has, for idempotency keys and the like. */
  unique(prefix = "contract"): string {
    return `${prefix}-${randomBytes(9).toString("base64url")}`;
  }

  /** One of the keys of the run. @throws Skip when it is not there. */
  keyNamed(name: KeyName): Key {
    const key = this.bench.keys[name];
    if (key === undefined) throw new SkipCheck(missingKey(name));
    return key;
  }

  /** Steering from outside. @throws Skip when the deployment has none. */
  get control(): Control {
    const { control } = this.bench;
    if (control !== undefined) return control;
    throw new SkipCheck(
      "Only a deployment with the control API (/__mock/) can be made to do this.",
    );
  }

  /** Makes a key of its own. @throws Skip when the deployment does not let the kit make keys. */
  async freshKey(wanted: NewKey = {}): Promise<Key> {
    const path = wanted.account_id === undefined ? "tenants" : "keys";
    const key = await this.control.makeKey(path, { ...wanted });
    this.#made.add(key.token);
    return key;
  }

  /** Adds a fault for as long as the check runs. @throws Skip without the control API. */
  async addFault(fault: Fields): Promise<void> {
    const { fault_id: id } = await this.control.post("faults", fault);
    this.#faults.push(String(id));
  }

  /** An address for webhooks. @throws Skip when the deployment cannot reach the kit. */
  hook(
    answer?: (attempt: number) => { status: number; headers?: Record<string, string> } | "hang",
  ): Hook {
    const { receiver } = this.bench;
    if (receiver === undefined) {
      throw new SkipCheck(
        "The deployment has to reach the kit for this: give --webhook-url, a public address that leads to --webhook-port of this machine.",
      );
    }
    const hook = receiver.open(answer);
    this.#hooks.push(hook);
    return hook;
  }

  /** Sends a call within the limits of its key, and holds the answer against the document. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<HttpResponse> {
    const { pace, send, watch } = this.bench;
    const token = tokenOf(options.key === undefined ? this.key : options.key);
    const input = callInput(method, path, token, options);
    for (let attempt = 0; ; attempt += 1) {
      if (token !== null && !options.take429) await pace.turn(token);
      this.sent += 1;
      const answer = await send(input);
      watch.look(answer);
      if (token !== null) pace.learn(token, answer);
      if (answer.status !== 429 || options.take429 || attempt === patience) return answer;
      await pace.waitOut(answer);
    }
  }

  /**
   * Submits a try-on that nothing is wrong with but what `fields` say; it does not wait for the result unless they say
   * so. A field that is undefined is left out.
   *
   * @throws Skip when it could go over the budget.
   */
  submit(fields: Fields = {}, options: SubmitOptions = {}): Promise<HttpResponse> {
    const call = this.#submit(fields, options);
    // A check may look at something else while its call is held; what goes wrong is met where it awaits the call.
    call.catch(() => undefined);
    return call;
  }

  async #submit(fields: Fields, options: SubmitOptions): Promise<HttpResponse> {
    const { idempotencyKey, headers, ...rest } = options;
    const key = options.key === undefined ? this.key : options.key;
    const pays = key !== null && typeof key !== "string" && this.#pays(key);
    const cost = pays ? this.#pay(fields) : 0;
    const answer = await this.call("POST", "/api/v1/tryon", {
      ...rest,
      body: { ...this.goodRequest(), ...fields },
      headers: {
        ...headers,
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      },
    });
    if (answer.status >= 400 && answer.status < 500) {
      this.bench.budget.giveBack(cost);
      this.spent -= cost;
    }
    return answer;
  }

  /** A request that nothing is wrong with. */
  goodRequest(): Fields {
    return {
      person_image_b64: images.person,
      garment_images_b64: [images.garment],
      output_size: "1K",
      wait: false,
    };
  }

  /** Submits, and gives the job's id. @throws Broken when the submission is refused. */
  async start(fields: Fields = {}, options: SubmitOptions = {}): Promise<string> {
    const answer = await this.submit(fields, options);
    return jobIdOf(answer);
  }

  /** Asks for a job. */
  poll(jobId: string, options: CallOptions = {}): Promise<HttpResponse> {
    return this.call("GET", `/api/v1/tryon/${jobId}`, options);
  }

  /** Lets time pass until a job has ended, and gives the last answer. @throws Broken when it does not. */
  async end(jobId: string, options: CallOptions = {}): Promise<HttpResponse> {
    return this.until(
      `${jobId} ends`,
      async () => {
        const answer = await this.poll(jobId, options);
        const { status } = fieldsOf(answer.json);
        return status === "succeeded" || status === "failed" ? answer : undefined;
      },
      jobTime,
    );
  }

  /** Submits, and gives the answer to the poll after the end. */
  async whole(fields: Fields = {}, options: SubmitOptions = {}): Promise<HttpResponse> {
    const jobId = await this.start(fields, options);
    return this.end(jobId, options.key === undefined ? {} : { key: options.key });
  }

  /** Sends a call that is held by the service, while time passes, and says how long that took. */
  async held(
    fields: Fields,
    options: SubmitOptions = {},
  ): Promise<{ answer: HttpResponse; took: number }> {
    const { time } = this;
    const idempotencyKey = options.idempotencyKey ?? this.unique("held");
    const from = time.now();
    const call = this.submit({ wait: true, ...fields }, { ...options, idempotencyKey });
    const answer = await this.passing(call, idempotencyKey);
    return { answer, took: time.now() - from };
  }

  /** Lets time pass until a call is answered. The server has to have got it before: its idempotency key tells. */
  async passing<Result>(
    call: Promise<Result>,
    idempotencyKey: string,
    step = 500,
  ): Promise<Result> {
    const { time } = this;
    if (!time.virtual) return call;
    const state = { over: false };
    const end = (): void => {
      state.over = true;
    };
    call.then(end, end);
    await this.#arrived(idempotencyKey, () => state.over);
    for (let passed = 0; !state.over && passed <= jobTime; passed += step) {
      await time.pass(step);
      // What came of it needs its turn.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return call;
  }

  /** Lets time pass until something is there. @throws Broken when it is not there in time. */
  async until<Result>(
    what: string,
    look: () => Promise<Result | undefined>,
    within = 60_000,
    step = this.time.virtual ? 250 : 2_000,
  ): Promise<Result> {
    const from = this.time.now();
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      must(this.time.now() - from <= within, `It took over ${within / 1_000} s until ${what}.`);
      await this.time.pass(step);
    }
  }

  /** The account of a key. */
  account(options: CallOptions = {}): Promise<HttpResponse> {
    return this.call("GET", "/api/v1/account", options);
  }

  /** The balance of a key. */
  async balance(key: Key = this.key): Promise<number> {
    const answer = await this.account({ key });
    const balance = fieldsOf(answer.json)["credits_remaining"];
    must(typeof balance === "number", "The account has no credits_remaining.", answer);
    return balance;
  }

  /** Takes back what the check has put up. */
  async cleanUp(): Promise<void> {
    for (const id of this.#faults.splice(0)) await this.bench.control?.remove(`faults/${id}`);
    for (const hook of this.#hooks.splice(0)) hook.close();
  }

  #pays({ kind, token }: Key): boolean {
    return kind === "live" && !this.#made.has(token);
  }

  /** Takes what a submission may cost out of the budget, and says how much that is. */
  #pay(fields: Fields): number {
    const size = [fields["output_size"], fields["resolution"], fields["size"]].find(
      (value) => typeof value === "string" && value !== "",
    );
    // What is not known to be cheaper may be the dearest.
    const cost = typeof size === "string" ? (costs[size.toUpperCase()] ?? 20) : 8;
    this.bench.budget.take(cost);
    this.spent += cost;
    return cost;
  }

  async #arrived(idempotencyKey: string, over: () => boolean): Promise<void> {
    const { control } = this.bench;
    for (let look = 0; look < 2_000 && !over(); look += 1) {
      const journal = await control?.get("journal?method=POST&path=/api/v1/tryon");
      const { entries } = journal ?? {};
      const known = Array.isArray(entries) ? entries : [];
      if (known.some((entry) => fieldsOf(entry)["idempotency_key"] === idempotencyKey)) return;
      // In one process with the server, looking must not keep it from reading the call.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
