import type { Fields } from "../../../src/wire/response.ts";
import {
  fieldsIn,
  rewritten,
  submitted,
  type Tamper,
  type Upstream,
} from "../mutated-responses.ts";
import { mutants } from "../mutant.ts";
import {
  changedBodies,
  changedRetries,
  changedWebhooks,
  handleWebhooks,
  signatureOf,
  type SentWebhook,
} from "./webhook-changes.ts";

const hour = 3_600_000;

export const webhookMutants = mutants({
  "webhooks.signature: signs other JSON than it sends": changedWebhooks(({ body, deliver }) =>
    deliver({ text: JSON.stringify(body, undefined, 2) }),
  ),
  "webhooks.header.signature: writes the signature without sha256=": changedWebhooks(
    ({ sign, deliver }) =>
      deliver({ headers: { "x-service-signature": sign().replace("sha256=", "") } }),
  ),
  "webhooks.header.event: has another event in the header": changedWebhooks(({ deliver }) =>
    deliver({ headers: { "x-service-event": "job.completed" } }),
  ),
  "webhooks.header.job-id: omits job_ from the id in the header": changedWebhooks(
    ({ jobId, deliver }) => deliver({ headers: { "x-service-job-id": jobId.replace("job_", "") } }),
  ),
  "webhooks.sent.succeeded: sends webhooks by PUT": changedWebhooks(({ deliver }) =>
    deliver({ method: "PUT" }),
  ),
  "webhooks.sent.failed: sends no webhook for a job that failed": changedWebhooks(
    async ({ body, deliver }) => (hasFailed(body) ? new Response() : deliver()),
  ),
  "webhooks.sent.once: sends a delivered webhook twice": changedWebhooks(async ({ deliver }) => {
    const response = await deliver();
    return response.ok ? deliver() : response;
  }),
  "webhooks.sent.at-end: sends the webhook of a slow job while it is running": sentEarly,
  "webhooks.sent.only-where-asked: sends webhooks to the webhook_url of an earlier job": () => {
    const urls = new Map<string, unknown>();
    return async ({ kind, token, body, send }) => {
      if (kind !== "submit") return send();
      const url = body["webhook_url"] ?? urls.get(token);
      urls.set(token, url);
      return send({ body: { ...body, webhook_url: url } });
    };
  },
  "webhooks.secret.of-key: has one secret for all keys of an account": () => {
    const secrets = new Map<unknown, unknown>();
    return async ({ kind, body, send }) => {
      const response = await send();
      if (kind !== "make-key") return response;
      const { account_id: account, webhook_secret: secret } = await fieldsIn(response);
      const first = secrets.get(account) ?? secret;
      secrets.set(account, first);
      // The keys of the run have names, and keep their secrets.
      return body["name"] === undefined
        ? rewritten(response, { fields: { webhook_secret: first } })
        : response;
    };
  },
  "webhooks.body.shape: writes completed_at as a number": changedBodies(() => ({
    completed_at: 1_767_225_600,
  })),
  "webhooks.body.job-id: has another job in the body": changedBodies(() => ({
    job_id: "job_000000000000000000000000",
  })),
  "webhooks.body.status: reports failed for a job that succeeded": changedSuccess({
    status: "failed",
  }),
  "webhooks.body.error-code: has an error code for success": changedSuccess({ error_code: "ok" }),
  "webhooks.body.error-message: has an error message for success": changedSuccess({
    error_message: "",
  }),
  "webhooks.body.duration-ms: has seconds in duration_ms": changedBodies(
    ({ duration_ms: duration }) => ({
      duration_ms: Math.round(Number(duration) / 1_000),
    }),
  ),
  "webhooks.body.completed-at: has another time in completed_at": changedBodies(
    ({ completed_at: at }) => ({
      completed_at: new Date(Date.parse(String(at)) + hour).toISOString().replace(".000Z", "Z"),
    }),
  ),
  "webhooks.body.result-url: omits the signature of result_url": changedBodies(
    ({ result_url: url }) =>
      typeof url === "string" ? { result_url: url.replace(/[?&]signature=\w+/, "") } : undefined,
  ),
  "webhooks.body.result-url.day: sends a result_url that expires after an hour": (upstream) => {
    const { clock } = upstream.mock;
    const sent = new Map<unknown, number>();
    return handleWebhooks(
      upstream,
      ({ body, deliver }) => {
        sent.set(body["result_url"], clock.now());
        return deliver();
      },
      async ({ url, send }) => {
        const isExpired = clock.now() > (sent.get(url.href) ?? Infinity) + hour;
        return isExpired ? new Response("<Error/>", { status: 403 }) : send();
      },
    );
  },
  "webhooks.body.failed: has another event for failures": changedBodies((body) =>
    hasFailed(body) ? { event: "tryon.failed" } : undefined,
  ),
  "webhooks.retry.signed: keeps the first signature for a retry with another body": (upstream) => {
    const attempts = new Map<string, number>();
    return handleWebhooks(upstream, ({ jobId, body, deliver }) => {
      const attempt = (attempts.get(jobId) ?? 0) + 1;
      attempts.set(jobId, attempt);
      return deliver(attempt === 1 ? {} : { text: JSON.stringify({ ...body, attempt }) });
    });
  },
  "webhooks.retry.schedule: sends the first retry after half a second": changedRetries({
    delays: [500, 4_000, 16_000],
  }),
  "webhooks.retry.no-more: sends a fourth retry": changedRetries({
    delays: [1_000, 4_000, 16_000, 32_000],
  }),
  "webhooks.receiver.any-2xx: retries a webhook after 201": changedRetries({
    isDelivered: (status) => status === 200 || status === 204,
  }),
  "webhooks.receiver.only-2xx: does not retry after 410": changedRetries({
    isDelivered: (status) => status === 410 || (status >= 200 && status < 300),
  }),
  "webhooks.receiver.ten-seconds: waits 5 seconds for a receiver": changedRetries({
    timeout: 5_000,
  }),
  "webhooks.secret.of-key: signs under the secret of the newest key": (upstream) => {
    const secrets: string[] = [];
    return handleWebhooks(
      upstream,
      ({ text, sign, deliver }) => {
        const isOwn = secrets.some((secret) => signatureOf(text, secret) === sign());
        const signature = isOwn ? signatureOf(text, secrets.at(-1) ?? "") : sign();
        return deliver({ headers: { "x-service-signature": signature } });
      },
      async ({ kind, body, send }) => {
        const response = await send();
        const { webhook_secret: secret } = await fieldsIn(response);
        // The keys of the run have names, and keep their secrets.
        if (kind === "make-key" && body["name"] === undefined) secrets.push(String(secret));
        return response;
      },
    );
  },
  "webhooks.receiver.redirect: follows redirects of receivers": changedWebhooks(({ deliver }) =>
    deliver({ redirect: "follow" }),
  ),
  "webhooks.retry.schedule: never retries": changedRetries({ delays: [] }),
  "webhooks.secret.of-key: makes webhook secrets without a prefix":
    () =>
    async ({ kind, body, send }) => {
      const response = await send();
      // The keys of the run have names, and keep their secrets.
      if (kind !== "make-key" || body["name"] !== undefined) return response;
      const { webhook_secret: secret } = await fieldsIn(response);
      const fields = { webhook_secret: String(secret).replace("whsec_", "") };
      return rewritten(response, { fields });
    },
  "webhooks.retry.schedule: waits twice as long before the last retry": changedRetries({
    delays: [1_000, 4_000, 32_000],
  }),
});

export const publicWebhookMutants = mutants(
  {
    "webhooks.target.not-https: sends webhooks without TLS": submitted(
      { webhook_url: "http://shop.example/hook" },
      { webhook_url: null },
    ),
  },
  true,
);

function hasFailed({ status }: Fields): boolean {
  return status === "failed";
}

function changedSuccess(fields: Fields) {
  return changedBodies((body) => (hasFailed(body) ? undefined : fields));
}

function sentEarly(upstream: Upstream): Tamper {
  const slow = new Set<unknown>();
  let earlier: SentWebhook | undefined;
  return handleWebhooks(
    upstream,
    (webhook) => {
      earlier = webhook;
      return webhook.deliver();
    },
    async ({ kind, path, token, body, send }) => {
      const response = await send();
      const { duration_ms: duration, api_key: key, webhook_url: url } = body;
      if (path === "/__mock/next-job" && Number(duration) > 5_000) slow.add(key);
      if (kind === "submit" && typeof url === "string" && slow.delete(token) && earlier) {
        await fetch(url, { method: "POST", body: earlier.text });
      }
      return response;
    },
  );
}
