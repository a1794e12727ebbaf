import { createHmac } from "node:crypto";

import type { Mock } from "@tryon/mock";

import { fieldsOf, type Fields } from "../../../src/wire/response.ts";
import type { Fetch } from "../mutant.ts";
import { fieldsIn, makesKey, tampered, type TamperedCall } from "../tampering.ts";

/** Webhook on its way to the receiver. */
export interface SentWebhook {
  readonly url: string;
  readonly jobId: string;
  readonly text: string;
  readonly body: Fields;
  /** Signs a text, by default that of the webhook, under the right secret. */
  readonly sign: (text?: string) => string;
  /** Sends it, changed or not. */
  readonly deliver: (changed?: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly text?: string;
    readonly redirect?: "follow" | "manual";
  }) => Promise<Response>;
}

export type WebhookTamper = (webhook: SentWebhook) => Promise<Response>;

/** Symbol under which tests replace the `fetch` of webhooks in a reference server. */
const redirectWebhooks = Symbol.for("@tryon/mock/redirect-webhooks");

/** Server behind a proxy that changes its webhooks. */
export function sendingOtherwise(
  mock: Mock,
  tamper: WebhookTamper,
  callTamper: (call: TamperedCall) => Promise<Response> = (call) => call.send(),
): Fetch {
  const secrets = new Set([mock.webhookSecret]);
  const replace: unknown = Reflect.get(mock, redirectWebhooks);
  if (typeof replace !== "function") throw new Error("The server has no hook for its webhooks.");
  replace(async (request: Request) => tamper(await sentWebhook(request, secrets)));
  return tampered(mock, async (call) => {
    const response = await callTamper(call);
    if (makesKey(call)) {
      secrets.add(String((await fieldsIn(response))["webhook_secret"]));
    }
    return response;
  });
}

async function sentWebhook(request: Request, secrets: ReadonlySet<string>): Promise<SentWebhook> {
  const { url, headers, signal } = request;
  const text = await request.text();
  const signature = headers.get("x-service-signature");
  const secret = [...secrets].find((one) => signed(one, text) === signature) ?? "";
  const parsed: unknown = JSON.parse(text);
  const body = fieldsOf(parsed);
  return {
    url,
    text,
    body,
    jobId: String(body["job_id"]),
    sign: (other = text) => signed(secret, other),
    deliver: (changed = {}) => {
      const sent = new Headers(headers);
      for (const [name, value] of Object.entries(changed.headers ?? {})) sent.set(name, value);
      return fetch(url, {
        method: changed.method ?? "POST",
        headers: sent,
        body: changed.text ?? text,
        redirect: changed.redirect ?? "manual",
        signal,
      });
    },
  };
}

function signed(secret: string, text: string): string {
  return `sha256=${createHmac("sha256", secret).update(text).digest("hex")}`;
}

/** Sends a webhook with other fields and the right signature. */
export function deliverWith(
  { body, sign, deliver }: SentWebhook,
  fields: Fields,
): Promise<Response> {
  const text = JSON.stringify({ ...body, ...fields });
  return deliver({ text, headers: { "x-service-signature": sign(text) } });
}

/** Retries that differ from those of the server. */
export interface Retrying {
  /** Milliseconds before each retry. */
  readonly delays?: readonly number[];
  /** Timeout of a receiver in milliseconds. */
  readonly timeout?: number;
  readonly takes?: (status: number) => boolean;
}

/** Server with other retries of its webhooks. */
export function retryingOtherwise(
  mock: Mock,
  {
    delays = [1_000, 4_000, 16_000],
    timeout = 10_000,
    takes = (status) => status >= 200 && status < 300,
  }: Retrying,
): Fetch {
  const { clock } = mock;
  const attempt = async (webhook: SentWebhook, made: number): Promise<void> => {
    const status = await clock.during(() => statusWithin(mock, webhook, timeout), 1_000);
    const delay = delays[made];
    if (delay === undefined || (status !== undefined && takes(status))) return;
    clock.setTimeout(() => void attempt(webhook, made + 1), delay);
  };
  return sendingOtherwise(mock, async (webhook) => {
    void attempt(webhook, 0);
    // The server must not retry it.
    return new Response(null, { status: 204 });
  });
}

/** Status of the receiver, or undefined after the timeout. */
async function statusWithin(
  { clock }: Mock,
  { deliver }: SentWebhook,
  timeout: number,
): Promise<number | undefined> {
  const late = clock.sleep(timeout).then(() => undefined);
  const answered = deliver().then(
    ({ status }) => status,
    () => undefined,
  );
  return Promise.race([answered, late]);
}
