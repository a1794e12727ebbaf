import { createHmac } from "node:crypto";

import { fieldsOf, type Fields } from "../../../src/wire/response.ts";
import { fieldsIn, type Change, type Tamper, type Upstream } from "../mutated-responses.ts";

export interface SentWebhook {
  readonly url: string;
  readonly jobId: string;
  readonly text: string;
  readonly body: Fields;
  readonly sign: (text?: string) => string;
  readonly deliver: (changed?: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly text?: string;
    readonly redirect?: "follow" | "manual";
  }) => Promise<Response>;
}

type WebhookHandler = (webhook: SentWebhook) => Promise<Response>;

/** Symbol under which tests replace the `fetch` of webhooks in a reference server. */
const redirectWebhooks = Symbol.for("@tryon/mock/redirect-webhooks");

export function handleWebhooks(
  { mock }: Upstream,
  handleWebhook: WebhookHandler,
  handleRequest: Tamper = ({ send }) => send(),
): Tamper {
  const secrets = new Set([mock.webhookSecret]);
  const replace: unknown = Reflect.get(mock, redirectWebhooks);
  if (typeof replace !== "function") throw new Error("The server has no hook for its webhooks.");
  replace(async (request: Request) => handleWebhook(await readWebhook(request, secrets)));
  return async (request) => {
    const response = await handleRequest(request);
    if (request.kind === "make-key") {
      secrets.add(String((await fieldsIn(response))["webhook_secret"]));
    }
    return response;
  };
}

export function changedWebhooks(handleWebhook: WebhookHandler): Change {
  return (upstream) => handleWebhooks(upstream, handleWebhook);
}

/** Changes fields of webhooks under the right signature, unless `change` returns undefined. */
export function changedBodies(change: (body: Fields) => Fields | undefined): Change {
  return changedWebhooks(({ body, sign, deliver }) => {
    const fields = change(body);
    if (fields === undefined) return deliver();
    const text = JSON.stringify({ ...body, ...fields });
    return deliver({ text, headers: { "x-service-signature": sign(text) } });
  });
}

export function changedRetries({
  delays = [1_000, 4_000, 16_000],
  timeout = 10_000,
  isDelivered = (status) => status >= 200 && status < 300,
}: {
  readonly delays?: readonly number[];
  readonly timeout?: number;
  readonly isDelivered?: (status: number) => boolean;
}): Change {
  return (upstream) => {
    const { clock } = upstream.mock;
    const attempt = async (webhook: SentWebhook, retries: number): Promise<void> => {
      const statusInTime = (): Promise<number | undefined> =>
        Promise.race([
          webhook.deliver().then(
            ({ status }) => status,
            () => undefined,
          ),
          clock.sleep(timeout).then(() => undefined),
        ]);
      const status = await clock.during(statusInTime, 1_000);
      const delay = delays[retries];
      if (delay === undefined || (status !== undefined && isDelivered(status))) return;
      clock.setTimeout(() => void attempt(webhook, retries + 1), delay);
    };
    return handleWebhooks(upstream, async (webhook) => {
      void attempt(webhook, 0);
      // The server must not retry it.
      return new Response(null, { status: 204 });
    });
  };
}

async function readWebhook(request: Request, secrets: ReadonlySet<string>): Promise<SentWebhook> {
  const { url, headers, signal } = request;
  const text = await request.text();
  const signature = headers.get("x-service-signature");
  const secret = [...secrets].find((one) => signatureOf(text, one) === signature) ?? "";
  const body = fieldsOf(JSON.parse(text));
  return {
    url,
    text,
    body,
    jobId: String(body["job_id"]),
    sign: (other = text) => signatureOf(other, secret),
    deliver: (changed = {}) =>
      fetch(url, {
        method: changed.method ?? "POST",
        headers: { ...Object.fromEntries(headers), ...changed.headers },
        body: changed.text ?? text,
        redirect: changed.redirect ?? "manual",
        signal,
      }),
  };
}

export function signatureOf(text: string, secret: string): string {
  return `sha256=${createHmac("sha256", secret).update(text).digest("hex")}`;
}
