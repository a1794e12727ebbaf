import { createHmac } from "node:crypto";

import type { Mock } from "@tryon/mock";

import { fieldsOf, type Fields } from "../../../src/wire/response.ts";
import type { Fetch } from "../mutant.ts";
import { fieldsIn, tampered, type TamperedCall } from "../tampering.ts";

/** A webhook on its way to the receiver. */
export interface SentWebhook {
  readonly url: string;
  readonly jobId: string;
  readonly text: string;
  readonly body: Fields;
  /** What the true secret of the webhook signs a text with; the text of the webhook itself unless another is given. */
  readonly sign: (text?: string) => string;
  /** Sends it, changed or as it is. */
  readonly deliver: (changed?: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly text?: string;
    readonly redirect?: "follow" | "manual";
  }) => Promise<Response>;
}

export type WebhookTamper = (webhook: SentWebhook) => Promise<Response>;

/** Under this name a reference server lets itself be told another way out for its webhooks. */
const wayOut = Symbol.for("@tryon/mock/redirect-webhooks");

/** The server with somebody between it and the receivers of its webhooks. */
export function sendingOtherwise(
  mock: Mock,
  tamper: WebhookTamper,
  callTamper: (call: TamperedCall) => Promise<Response> = (call) => call.send(),
): Fetch {
  const secrets = new Set([mock.webhookSecret]);
  const replace: unknown = Reflect.get(mock, wayOut);
  if (typeof replace !== "function") throw new Error("The server has no way out to be replaced.");
  replace(async (request: Request) => tamper(await sentWebhook(request, secrets)));
  return tampered(mock, async (call) => {
    const response = await callTamper(call);
    if (/^\/__mock\/(keys|tenants)$/.test(call.path)) {
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

/** Sends a webhook with other fields, and signs it as it is sent. */
export function deliverWith(
  { body, sign, deliver }: SentWebhook,
  fields: Fields,
): Promise<Response> {
  const text = JSON.stringify({ ...body, ...fields });
  return deliver({ text, headers: { "x-service-signature": sign(text) } });
}

/** How a sender that is not the server's retries. */
export interface Retrying {
  /** Milliseconds before each retry. */
  readonly pauses?: readonly number[];
  /** Milliseconds that the receiver has. */
  readonly patience?: number;
  readonly takes?: (status: number) => boolean;
}

/** The server with a sender of webhooks that goes its own way after the first attempt. */
export function retryingOtherwise(
  mock: Mock,
  {
    pauses = [1_000, 4_000, 16_000],
    patience = 10_000,
    takes = (status) => status >= 200 && status < 300,
  }: Retrying,
): Fetch {
  const { clock } = mock;
  const attempt = async (webhook: SentWebhook, made: number): Promise<void> => {
    const status = await clock.during(() => statusWithin(mock, webhook, patience), 1_000);
    const pause = pauses[made];
    if (pause === undefined || (status !== undefined && takes(status))) return;
    clock.setTimeout(() => void attempt(webhook, made + 1), pause);
  };
  return sendingOtherwise(mock, async (webhook) => {
    void attempt(webhook, 0);
    // The server itself is done with it.
    return new Response(null, { status: 204 });
  });
}

/** The receiver's status, or undefined when none came in time. */
async function statusWithin(
  { clock }: Mock,
  { deliver }: SentWebhook,
  patience: number,
): Promise<number | undefined> {
  const late = clock.sleep(patience).then(() => undefined);
  const answered = deliver().then(
    ({ status }) => status,
    () => undefined,
  );
  return Promise.race([answered, late]);
}
