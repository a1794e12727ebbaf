import { randomBytes } from "node:crypto";

import { need } from "../outcome.ts";
import { images } from "../images.ts";
import { isEnd, jobIdOf } from "../submission.ts";
import { sizeOf } from "../seen/memory.ts";
import type { TimedExchange } from "../record/exchange-recorder.ts";
import type { Key } from "../target/keys.ts";
import type { Hook, HookResponse } from "../target/receiver.ts";
import { writeJson } from "../wire/large-text.ts";
import { fieldsOf, type HttpResponse, type Fields } from "../wire/response.ts";
import type { CheckContext } from "./context.ts";
import type { CheckKeys } from "./keys.ts";
import type { CheckTime } from "./time.ts";

export interface RequestOptions {
  readonly key?: Key | string | null;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly idempotencyKey?: string;
  /** If true, returns a 429. Otherwise waits and sends the request again. */
  readonly return429?: boolean;
}

const maxRetries = 5;

/** Sends the requests of one check: paced, checked against the document, and paid for out of the budget. */
export function checkHttp(
  { receiver, pacer, send, schemaChecks, budget, jobWaits }: CheckContext,
  keys: CheckKeys,
  time: CheckTime,
) {
  const exchanges: TimedExchange[] = [];
  const hooks: Hook[] = [];
  let lastTime = 0;
  /** The later one of two moments has the later time, also while a virtual clock stands. */
  const moment = (): number => {
    lastTime = Math.max(time.now(), lastTime + 0.001);
    return lastTime;
  };
  const reserve = (key: Key | string | null, fields: Fields): number => {
    if (!keys.isPaid(key)) return 0;
    const cost = budget.costOf(sizeOf(fields) ?? "1K");
    budget.reserve(cost);
    http.spent += cost;
    return cost;
  };
  const submit = async (fields: Fields, options: RequestOptions): Promise<HttpResponse> => {
    const cost = reserve(options.key === undefined ? keys.own : options.key, fields);
    const body = { ...http.goodRequest(), ...fields };
    const response = await http.request("POST", "/api/v1/tryon", { body, ...options });
    if (response.status >= 400 && response.status < 500) {
      budget.release(cost);
      http.spent -= cost;
    }
    return response;
  };
  const http = {
    exchanges,
    spent: 0,
    sent: 0,
    unique(prefix = "contract"): string {
      return `${prefix}-${randomBytes(9).toString("base64url")}`;
    },
    unknownJobId(): string {
      return `job_${randomBytes(12).toString("hex")}`;
    },
    openHook(respond?: HookResponse): Hook {
      need(
        receiver !== undefined,
        "The deployment must reach the kit: use --webhook-url with a public URL that leads to --webhook-port of this machine.",
      );
      const hook = receiver.open(respond);
      hooks.push(hook);
      return hook;
    },
    /** Sends a request within the limits of its key, and checks the response against the document. */
    async request(
      method: string,
      path: string,
      options: RequestOptions = {},
    ): Promise<HttpResponse> {
      const { key = keys.own, query, body, raw, headers, idempotencyKey, return429 } = options;
      const token = typeof key === "object" ? (key?.token ?? null) : key;
      const search = query === undefined ? "" : `?${new URLSearchParams(query).toString()}`;
      const request = {
        method,
        path: `${path}${search}`,
        headers: {
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
          ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
          ...headers,
        },
        body: raw ?? (body === undefined ? undefined : writeJson(body)),
      };
      for (let retries = 0; ; retries += 1) {
        if (token !== null && !return429) await pacer.acquire(token);
        http.sent += 1;
        const at = moment();
        const response = await send(request);
        exchanges.push({ request, response, at, until: moment() });
        schemaChecks.check(response);
        if (token !== null) pacer.readLimit(token, response);
        if (response.status !== 429 || return429 || retries === maxRetries) return response;
        await pacer.waitAfter429(response);
      }
    },
    /**
     * Submits a good try-on with some fields changed. A field that is undefined is left out. The request is asynchronous
     * unless the fields say otherwise.
     *
     * @throws SkipCheck when it could exceed the budget.
     */
    submit(fields: Fields = {}, options: RequestOptions = {}): Promise<HttpResponse> {
      const response = submit(fields, options);
      // A check may do something else before it awaits a synchronous request.
      response.catch(() => undefined);
      return response;
    },
    goodRequest(): Fields {
      return {
        person_image_b64: images.person,
        garment_images_b64: [images.garment],
        output_size: "1K",
        wait: false,
      };
    },
    async start(fields: Fields = {}, options: RequestOptions = {}): Promise<string> {
      return jobIdOf(await http.submit(fields, options));
    },
    poll(jobId: string, options: RequestOptions = {}): Promise<HttpResponse> {
      return http.request("GET", `/api/v1/tryon/${jobId}`, options);
    },
    pollVisible(jobId: string): Promise<HttpResponse> {
      return time.until(`${jobId} can be polled`, async () => {
        const response = await http.poll(jobId);
        return response.status === 200 ? response : undefined;
      });
    },
    async waitForEnd(jobId: string, options: RequestOptions = {}): Promise<HttpResponse> {
      const poll = async (): Promise<HttpResponse | undefined> => {
        const response = await http.poll(jobId, options);
        return isEnd(fieldsOf(response.json)["status"]) ? response : undefined;
      };
      return jobWaits.untilEnded(jobId, poll, time.pollDelay);
    },
    async submitAndWait(fields: Fields = {}): Promise<HttpResponse> {
      return http.waitForEnd(await http.start(fields));
    },
    /** Sends a synchronous request while time passes in steps, and measures how long it took. */
    async submitSync(fields: Fields = {}, step?: number) {
      const idempotencyKey = http.unique("sync");
      const from = time.now();
      const request = http.submit({ wait: true, ...fields }, { idempotencyKey });
      const response = await time.passUntilSettled(request, idempotencyKey, step);
      return { response, duration: time.now() - from };
    },
    list(query: RequestOptions["query"] = {}, options: RequestOptions = {}): Promise<HttpResponse> {
      return http.request("GET", "/api/v1/tryon", { query, ...options });
    },
    account(options: RequestOptions = {}): Promise<HttpResponse> {
      return http.request("GET", "/api/v1/account", options);
    },
    async balance(key: Key = keys.own): Promise<number> {
      const response = await http.account({ key });
      const balance = fieldsOf(response.json)["credits_remaining"];
      need(typeof balance === "number", "The account has no balance, which has other checks.");
      return balance;
    },
    async cleanUp(): Promise<void> {
      for (const hook of hooks.splice(0)) hook.close();
      await keys.removeFaults();
    },
  };
  return http;
}
