import { randomBytes } from "node:crypto";

import { must, need } from "./outcome.ts";
import { images } from "./images.ts";
import { maxJobTime, type JobWaits } from "./job-waits.ts";
import type { SchemaChecks } from "./schema-checks.ts";
import { isEnd, jobIdOf } from "./submission.ts";
import type { TimedExchange } from "./record/exchange-recorder.ts";
import type { Budget } from "./target/budget.ts";
import type { Control } from "./target/control.ts";
import { missingKey, type Key, type KeyKind, type Keys, type NewKey } from "./target/keys.ts";
import type { Hook, HookResponse, Receiver } from "./target/receiver.ts";
import type { RequestPacer } from "./target/request-pacer.ts";
import type { Time } from "./target/time.ts";
import type { Redactor } from "./wire/redactor.ts";
import { elementsOf, fieldsOf, type HttpResponse, type Fields } from "./wire/response.ts";
import type { Send } from "./wire/send.ts";

export interface CheckContext {
  readonly baseUrl: string;
  readonly send: Send;
  readonly time: Time;
  readonly pacer: RequestPacer;
  readonly budget: Budget;
  readonly schemaChecks: SchemaChecks;
  readonly jobWaits: JobWaits;
  readonly control: Control | undefined;
  readonly redactor: Redactor;
  readonly receiver: Receiver | undefined;
  readonly keys: Keys;
}

export interface RequestOptions {
  readonly key?: Key | string | null;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** If true, returns a 429. Otherwise waits and sends the request again. */
  readonly return429?: boolean;
}

export interface SubmitOptions extends Pick<
  RequestOptions,
  "key" | "headers" | "return429" | "raw"
> {
  readonly idempotencyKey?: string;
}

const maxRetries = 5;

export class Session {
  readonly context: CheckContext;
  readonly time: Time;
  /** Key that the check works on. A check may replace it by a new one. */
  key: Key;
  spent = 0;
  sent = 0;
  /** Tokens of the keys of this check, which cost nothing. */
  readonly #made = new Set<string>();
  readonly exchanges: TimedExchange[] = [];
  #lastTime = 0;
  readonly #faults: string[] = [];
  readonly #hooks: Hook[] = [];

  constructor(context: CheckContext, on: KeyKind) {
    this.context = context;
    this.time = context.time;
    const name = on === "any" ? (context.keys.test === undefined ? "live" : "test") : on;
    this.key = this.keyNamed(name);
  }

  unique(prefix = "contract"): string {
    return `${prefix}-${randomBytes(9).toString("base64url")}`;
  }

  unknownJobId(): string {
    return `job_${randomBytes(12).toString("hex")}`;
  }

  keyNamed(name: keyof Keys): Key {
    const key = this.context.keys[name];
    need(key !== undefined, missingKey(name));
    return key;
  }

  get hasControl(): boolean {
    return this.context.control !== undefined;
  }

  get control(): Control {
    const { control } = this.context;
    need(control !== undefined, "It takes a deployment with the control API (/__mock/).");
    return control;
  }

  async freshKey(options: NewKey = {}): Promise<Key> {
    const path = options.account_id === undefined ? "tenants" : "keys";
    const key = await this.control.makeKey(path, { ...options });
    this.#made.add(key.token);
    this.context.pacer.setLimit(key.token, options.rate_limit_per_min ?? 0);
    return key;
  }

  async useNewKey(options: NewKey = {}): Promise<void> {
    if (this.hasControl) this.key = await this.freshKey(options);
  }

  siblingKey(options: NewKey = {}): Promise<Key> {
    return this.freshKey({ ...options, account_id: this.key.accountId });
  }

  async setNextJob(next: Fields): Promise<void> {
    await this.control.post("next-job", { ...next, api_key: this.key.token });
  }

  async slowNextJob(duration: number): Promise<void> {
    if (this.hasControl) await this.setNextJob({ outcome: "succeeded", duration_ms: duration });
  }

  async addFault(fault: Fields): Promise<void> {
    const { fault_id: id } = await this.control.post("faults", fault);
    this.#faults.push(String(id));
  }

  openHook(respond?: HookResponse): Hook {
    const { receiver } = this.context;
    need(
      receiver !== undefined,
      "The deployment must reach the kit: use --webhook-url with a public URL that leads to --webhook-port of this machine.",
    );
    const hook = receiver.open(respond);
    this.#hooks.push(hook);
    return hook;
  }

  /** Sends a request within the limits of its key, and checks the response against the document. */
  async request(method: string, path: string, options: RequestOptions = {}): Promise<HttpResponse> {
    const { pacer, send, schemaChecks } = this.context;
    const { key = this.key, query, body, raw, headers, return429 } = options;
    const token = typeof key === "object" ? (key?.token ?? null) : key;
    const search = query === undefined ? "" : `?${new URLSearchParams(query).toString()}`;
    const request = {
      method,
      path: `${path}${search}`,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      body: raw ?? (body === undefined ? undefined : JSON.stringify(body)),
    };
    for (let retries = 0; ; retries += 1) {
      if (token !== null && !return429) await pacer.acquire(token);
      this.sent += 1;
      const at = this.#moment();
      const response = await send(request);
      this.exchanges.push({ request, response, at, until: this.#moment() });
      schemaChecks.check(response);
      if (token !== null) pacer.readLimit(token, response);
      if (response.status !== 429 || return429 || retries === maxRetries) return response;
      await pacer.waitAfter429(response);
    }
  }

  /**
   * Submits a good try-on with some fields changed. A field that is undefined is left out. The request is asynchronous
   * unless the fields say otherwise.
   *
   * @throws SkipCheck when it could exceed the budget.
   */
  submit(fields: Fields = {}, options: SubmitOptions = {}): Promise<HttpResponse> {
    const response = this.#submit(fields, options);
    // A check may do something else before it awaits a synchronous request.
    response.catch(() => undefined);
    return response;
  }

  async #submit(fields: Fields, options: SubmitOptions): Promise<HttpResponse> {
    const { idempotencyKey, headers, ...rest } = options;
    const cost = this.#reserve(options.key === undefined ? this.key : options.key, fields);
    const response = await this.request("POST", "/api/v1/tryon", {
      ...rest,
      body: { ...this.goodRequest(), ...fields },
      headers: {
        ...headers,
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      },
    });
    if (response.status >= 400 && response.status < 500) {
      this.context.budget.release(cost);
      this.spent -= cost;
    }
    return response;
  }

  goodRequest(): Fields {
    return {
      person_image_b64: images.person,
      garment_images_b64: [images.garment],
      output_size: "1K",
      wait: false,
    };
  }

  async start(fields: Fields = {}, options: SubmitOptions = {}): Promise<string> {
    return jobIdOf(await this.submit(fields, options));
  }

  poll(jobId: string, options: RequestOptions = {}): Promise<HttpResponse> {
    return this.request("GET", `/api/v1/tryon/${jobId}`, options);
  }

  pollVisible(jobId: string): Promise<HttpResponse> {
    return this.until(`${jobId} can be polled`, async () => {
      const response = await this.poll(jobId);
      return response.status === 200 ? response : undefined;
    });
  }

  async waitForEnd(jobId: string, options: RequestOptions = {}): Promise<HttpResponse> {
    const poll = async (): Promise<HttpResponse | undefined> => {
      const response = await this.poll(jobId, options);
      return isEnd(fieldsOf(response.json)["status"]) ? response : undefined;
    };
    return this.context.jobWaits.untilEnded(jobId, poll, this.#pollDelay);
  }

  async submitAndWait(fields: Fields = {}, options: SubmitOptions = {}): Promise<HttpResponse> {
    const jobId = await this.start(fields, options);
    return this.waitForEnd(jobId, options.key === undefined ? {} : { key: options.key });
  }

  /** Sends a synchronous request while time passes in steps, and measures how long it took. */
  async submitSync(
    fields: Fields = {},
    step?: number,
  ): Promise<{ response: HttpResponse; duration: number }> {
    const idempotencyKey = this.unique("sync");
    const from = this.time.now();
    const request = this.submit({ wait: true, ...fields }, { idempotencyKey });
    const response = await this.passUntilSettled(request, idempotencyKey, step);
    return { response, duration: this.time.now() - from };
  }

  /** Lets time pass until a request has its response. The server must have received the request before. */
  async passUntilSettled<Result>(
    request: Promise<Result>,
    idempotencyKey: string,
    step = 500,
  ): Promise<Result> {
    const { time } = this;
    if (!time.virtual) return request;
    const isOver = settling(request);
    await this.waitForRequests(idempotencyKey, 1, isOver);
    for (let passed = 0; !isOver() && passed <= maxJobTime; passed += step) {
      await time.pass(step);
      await nextTurn();
    }
    return request;
  }

  /** Waits until the deployment has a number of requests with an idempotency key, by its journal or for a moment. */
  async waitForRequests(
    idempotencyKey: string,
    count: number,
    isOver: () => boolean = () => false,
  ): Promise<void> {
    const { time, control } = this.context;
    if (control === undefined || !time.virtual) return time.pass(500);
    for (let read = 0; read < 2_000 && !isOver(); read += 1) {
      const { entries } = await control.get("journal?method=POST&path=/api/v1/tryon");
      const keys = elementsOf(entries).map((entry) => fieldsOf(entry)["idempotency_key"]);
      if (keys.filter((key) => key === idempotencyKey).length >= count) return;
      await nextTurn();
    }
  }

  async until<Result>(what: string, read: () => Promise<Result | undefined>): Promise<Result> {
    const from = this.time.now();
    for (;;) {
      const found = await read();
      if (found !== undefined) return found;
      must(this.time.now() - from <= 60_000, `It took over 60 s until ${what}.`);
      await this.time.pass(this.#pollDelay);
    }
  }

  list(
    query: Readonly<Record<string, string>> = {},
    options: RequestOptions = {},
  ): Promise<HttpResponse> {
    return this.request("GET", "/api/v1/tryon", { query, ...options });
  }

  account(options: RequestOptions = {}): Promise<HttpResponse> {
    return this.request("GET", "/api/v1/account", options);
  }

  async balance(key: Key = this.key): Promise<number> {
    const response = await this.account({ key });
    const balance = fieldsOf(response.json)["credits_remaining"];
    must(typeof balance === "number", "The account has no credits_remaining.", response);
    return balance;
  }

  async cleanUp(): Promise<void> {
    for (const hook of this.#hooks.splice(0)) hook.close();
    const faults = this.#faults.splice(0);
    await Promise.all(faults.map(async (id) => this.context.control?.remove(`faults/${id}`)));
  }

  /** Returns the time. Of two moments, the later one has the later time, also while a virtual clock stands. */
  #moment(): number {
    this.#lastTime = Math.max(this.time.now(), this.#lastTime + 0.001);
    return this.#lastTime;
  }

  get #pollDelay(): number {
    return this.time.virtual ? 250 : 2_000;
  }

  #reserve(key: Key | string | null, fields: Fields): number {
    const isKey = key !== null && typeof key !== "string";
    if (!isKey || key.kind !== "live" || this.#made.has(key.token)) return 0;
    const size = [fields["output_size"], fields["resolution"], fields["size"]].find(
      (value) => typeof value === "string" && value !== "",
    );
    const cost = this.context.budget.costOf(typeof size === "string" ? size.toUpperCase() : "1K");
    this.context.budget.reserve(cost);
    this.spent += cost;
    return cost;
  }
}

export function settling(promise: Promise<unknown>): () => boolean {
  let isOver = false;
  const end = (): void => void (isOver = true);
  promise.then(end, end);
  return () => isOver;
}

/** Lets a server in the same process read and respond. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
