import type { Mock } from "@tryon/mock";

import type { Fields } from "../../../src/wire/response.ts";
import type { Fetch, Mutant } from "../mutant.ts";
import {
  deliverWith,
  retryingOtherwise,
  sendingOtherwise,
  type Retrying,
  type SentWebhook,
  type WebhookTamper,
} from "./sent-webhooks.ts";
import { fieldsIn, makesKey, rewritten, submits, tampered } from "../tampering.ts";

const section = "Events";
const hour = 3_600_000;

/** Makes a mutant that sends webhooks in another way. */
function sends(name: string, expected: readonly string[], tamper: WebhookTamper): Mutant {
  return { name, section, expected, plant: (mock) => sendingOtherwise(mock, tamper) };
}

/** Makes a mutant that changes the bodies of webhooks, with the right signature. */
function says(
  name: string,
  expected: string,
  change: (fields: Fields) => Fields | undefined,
): Mutant {
  return sends(name, [expected], (webhook) => {
    const fields = change(webhook.body);
    return fields === undefined ? webhook.deliver() : deliverWith(webhook, fields);
  });
}

/** Makes a mutant that retries webhooks in another way. */
function retries(name: string, expected: string, way: Retrying, where = section): Mutant {
  return {
    name,
    section: where,
    expected: [expected],
    plant: (mock) => retryingOtherwise(mock, way),
  };
}

function hasFailed({ status }: Fields): boolean {
  return status === "failed";
}

/** Mutants in webhooks. */
export const webhookMutants: readonly Mutant[] = [
  sends("signs other JSON than it sends", ["webhooks.signature"], ({ body, deliver }) =>
    deliver({ text: JSON.stringify(body, undefined, 2) }),
  ),
  sends("writes the signature without sha256=", ["webhooks.header.signature"], (webhook) =>
    webhook.deliver({
      headers: { "x-service-signature": webhook.sign().replace("sha256=", "") },
    }),
  ),
  sends("has another event in the header", ["webhooks.header.event"], ({ deliver }) =>
    deliver({ headers: { "x-service-event": "job.completed" } }),
  ),
  sends("omits job_ from the id in the header", ["webhooks.header.job-id"], (webhook) =>
    webhook.deliver({ headers: { "x-service-job-id": webhook.jobId.replace("job_", "") } }),
  ),
  sends("sends webhooks by PUT", ["webhooks.sent.succeeded"], ({ deliver }) =>
    deliver({ method: "PUT" }),
  ),
  sends("sends no webhook for a job that failed", ["webhooks.sent.failed"], (webhook) =>
    hasFailed(webhook.body) ? Promise.resolve(new Response()) : webhook.deliver(),
  ),
  sends("sends a delivered webhook twice", ["webhooks.sent.once"], async ({ deliver }) => {
    const response = await deliver();
    return response.ok ? deliver() : response;
  }),
  {
    name: "sends the webhook of a slow job while it is running",
    section,
    expected: ["webhooks.sent.at-end"],
    plant: sentEarly,
  },
  {
    name: "sends webhooks to the webhook_url of an earlier job",
    section,
    expected: ["webhooks.sent.only-where-asked"],
    plant: (mock) => {
      const known = new Map<string, string>();
      return tampered(mock, async (call) => {
        const { webhook_url: url } = call.body;
        if (!submits(call)) return call.send();
        if (typeof url === "string") known.set(call.token, url);
        const earlier = known.get(call.token);
        return typeof url === "string" || earlier === undefined
          ? call.send()
          : call.send({ body: { ...call.body, webhook_url: earlier } });
      });
    },
  },
  {
    name: "has one secret for all keys of an account",
    section: "Authentication",
    expected: ["webhooks.secret.of-key"],
    plant: (mock) => {
      const secrets = new Map<unknown, unknown>();
      return tampered(mock, async (call) => {
        const response = await call.send();
        if (!makesKey(call)) return response;
        const { account_id: account, webhook_secret: secret } = await fieldsIn(response);
        const first = secrets.get(account) ?? secret;
        secrets.set(account, first);
        // The keys of the run have names, and keep their secrets.
        return call.body["name"] === undefined
          ? rewritten(response, { fields: { webhook_secret: first } })
          : response;
      });
    },
  },
  says("writes completed_at as a number", "webhooks.body.shape", () => ({
    completed_at: 1_767_225_600,
  })),
  says("has another job in the body", "webhooks.body.job-id", () => ({
    job_id: "job_000000000000000000000000",
  })),
  says("reports failed for a job that succeeded", "webhooks.body.status", (fields) =>
    hasFailed(fields) ? undefined : { status: "failed" },
  ),
  says("has an error code for success", "webhooks.body.error-code", (fields) =>
    hasFailed(fields) ? undefined : { error_code: "ok" },
  ),
  says("has an error message for success", "webhooks.body.error-message", (fields) =>
    hasFailed(fields) ? undefined : { error_message: "" },
  ),
  says("has seconds in duration_ms", "webhooks.body.duration-ms", ({ duration_ms: duration }) => ({
    duration_ms: Math.round(Number(duration) / 1_000),
  })),
  says(
    "has another time in completed_at",
    "webhooks.body.completed-at",
    ({ completed_at: at }) => ({
      completed_at: new Date(Date.parse(String(at)) + hour).toISOString().replace(".000Z", "Z"),
    }),
  ),
  says("omits the signature of result_url", "webhooks.body.result-url", ({ result_url: url }) =>
    typeof url === "string" ? { result_url: url.replace(/[?&]signature=\w+/, "") } : undefined,
  ),
  {
    name: "sends a result_url that expires after an hour",
    section,
    expected: ["webhooks.body.result-url.day"],
    plant: (mock) => {
      const sent = new Map<string, number>();
      const fetch = sendingOtherwise(mock, (webhook) => {
        sent.set(String(webhook.body["result_url"]), mock.clock.now());
        return webhook.deliver();
      });
      return async (resource, init) => {
        const at = sent.get(new Request(resource, init).url);
        const over = at !== undefined && mock.clock.now() > at + hour;
        return over ? new Response("<Error/>", { status: 403 }) : fetch(resource, init);
      };
    },
  },
  says("has another event for failures", "webhooks.body.failed", (fields) =>
    hasFailed(fields) ? { event: "tryon.failed" } : undefined,
  ),
  {
    name: "keeps the first signature for a retry with another body",
    section,
    expected: ["webhooks.retry.signed"],
    plant: (mock) => {
      const made = new Map<string, number>();
      return sendingOtherwise(mock, ({ jobId, body, deliver }) => {
        const attempt = (made.get(jobId) ?? 0) + 1;
        made.set(jobId, attempt);
        return deliver(attempt === 1 ? {} : { text: JSON.stringify({ ...body, attempt }) });
      });
    },
  },
  retries("sends the first retry after half a second", "webhooks.retry.schedule", {
    delays: [500, 4_000, 16_000],
  }),
  retries("never retries", "webhooks.retry.schedule", { delays: [] }, "Limits"),
  retries("waits twice as long before the last retry", "webhooks.retry.schedule", {
    delays: [1_000, 4_000, 32_000],
  }),
  retries(
    "sends a fourth retry",
    "webhooks.retry.no-more",
    { delays: [1_000, 4_000, 16_000, 32_000] },
    "Limits",
  ),
  retries("retries a webhook after 201", "webhooks.receiver.any-2xx", {
    takes: (status) => status === 200 || status === 204,
  }),
  retries("does not retry after 410", "webhooks.receiver.only-2xx", {
    takes: (status) => status === 410 || (status >= 200 && status < 300),
  }),
  sends("follows redirects of receivers", ["webhooks.receiver.redirect"], ({ deliver }) =>
    deliver({ redirect: "follow" }),
  ),
  {
    name: "sends webhooks into private networks",
    section: "Limits",
    expected: ["webhooks.target.private"],
    plant: (mock) =>
      tampered(mock, async (call) => {
        const response = await call.send();
        const { webhook_url: url } = call.body;
        const refused = submits(call) && response.status === 400 && typeof url === "string";
        if (!refused || !url.includes("169.254")) return response;
        return call.send({ body: { ...call.body, webhook_url: null } });
      }),
  },
];

/** Mutants with a receiver that hangs, which take a second of real time. */
export const slowWebhookMutants: readonly Mutant[] = [
  retries(
    "waits 5 seconds for a receiver",
    "webhooks.receiver.ten-seconds",
    { timeout: 5_000 },
    "Limits",
  ),
];

/** Sends a copy of an earlier webhook at the start of a slow job. */
function sentEarly(mock: Mock): Fetch {
  const slow = new Set<unknown>();
  let known: SentWebhook | undefined;
  return sendingOtherwise(
    mock,
    (webhook) => {
      known = webhook;
      return webhook.deliver();
    },
    async (call) => {
      const response = await call.send();
      const { duration_ms: duration, api_key: key } = call.body;
      if (call.path === "/__mock/next-job" && Number(duration) > 5_000) slow.add(key);
      const { webhook_url: url } = call.body;
      if (submits(call) && typeof url === "string" && slow.delete(call.token) && known) {
        const { text } = known;
        await fetch(url, { method: "POST", body: text });
      }
      return response;
    },
  );
}
