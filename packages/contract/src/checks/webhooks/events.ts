import { must, need } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { eventProblems } from "../../wire/document.ts";
import { instantOf } from "../../wire/instant.ts";
import { fieldsOf, type Fields } from "../../wire/response.ts";
import { needVirtualTime } from "../billing/credits.ts";
import { checkRows, rowsFor } from "../expectations.ts";
import { eventOf, firstEvent, isSigned, secretOf, sendWebhook, signatureOf } from "./deliveries.ts";

const hour = 3_600_000;
const resultUrl = "webhook.body.result-url";

const comparedFields = [
  "job_id",
  "status",
  "error_code",
  "error_message",
  "duration_ms",
  "completed_at",
];

export const eventChecks = checkRows("safe", 8, {
  "webhooks.header.signature": {
    title: "Signs a webhook in X-Service-Signature with sha256= and 64 hexadecimal digits",
    rules: ["webhook.header.signature"],
    async run(session) {
      const signature = signatureOf((await firstEvent(session)).delivery);
      must(signature !== null, "A webhook has no X-Service-Signature.");
      must(
        /^sha256=[0-9a-f]{64}$/i.test(signature),
        `Expected sha256= with 64 hexadecimal digits in X-Service-Signature, got ${signature}.`,
      );
    },
  },
  "webhooks.header.event": {
    title: "Has tryon.completed in X-Service-Event",
    rules: ["webhook.header.event"],
    async run(session) {
      const { delivery } = await firstEvent(session);
      mustEqual("X-Service-Event", delivery.headers.get("x-service-event"), "tryon.completed");
    },
  },
  "webhooks.header.job-id": {
    title: "Has the id of the job in X-Service-Job-Id",
    rules: ["webhook.header.job-id"],
    async run(session) {
      const { delivery, jobId } = await firstEvent(session);
      mustEqual("X-Service-Job-Id", delivery.headers.get("x-service-job-id"), jobId);
    },
  },
  "webhooks.signature": {
    title: "Signs the bytes that it sends with HMAC-SHA256 under the key's secret",
    rules: ["webhook.signature.hmac", "auth.webhook-secret.signs"],
    async run(session) {
      const secret = secretOf(session.keys.own);
      const { delivery } = await firstEvent(session);
      const isNotSigned = "The webhook is not signed, which has other checks.";
      need(signatureOf(delivery) !== null, isNotSigned);
      must(
        isSigned(delivery, secret),
        "X-Service-Signature is not the HMAC-SHA256 of the body's bytes under the key's secret.",
      );
    },
  },
  "webhooks.secret.of-key": {
    title: "Signs the webhooks of each key under its own secret, which begins with whsec_",
    rules: ["auth.webhook-secret.signs"],
    credits: 0,
    newKey: {},
    async run(session) {
      const sibling = await session.keys.sibling();
      const [secret, otherSecret] = [secretOf(session.keys.own), secretOf(sibling)];
      must(
        secret.startsWith("whsec_") && otherSecret.startsWith("whsec_"),
        "The webhook secret of a new key does not begin with whsec_.",
      );
      must(secret !== otherSecret, "Two keys of an account have one webhook secret.");
      const { first } = await sendWebhook(session);
      session.keys.own = sibling;
      const { first: second } = await sendWebhook(session);
      const isSwapped = isSigned(first, otherSecret) || isSigned(second, secret);
      must(!isSwapped, "A webhook is signed under the secret of another key.");
    },
  },
  "webhooks.body.shape": {
    title: "Has a body as spec/openapi.json says",
    rules: ["event", "result_url", ...comparedFields].map(ruleOf),
    async run(session) {
      const { event } = await firstEvent(session);
      // The document leaves the form of ISO 8601 times open.
      const problems = eventProblems(event).filter(
        (problem) =>
          !problem.startsWith("completed_at must match format") ||
          instantOf(event["completed_at"]) === undefined,
      );
      must(problems.length === 0, `The body of a webhook is wrong: ${problems.join("; ")}.`);
    },
  },
  ...rowsFor(comparedFields, (field) => ({
    id: `webhooks.body.${field.replace("_", "-")}`,
    title:
      field === "job_id" ? "Has the id of the job in job_id" : `Has the same ${field} as a poll`,
    rules: [ruleOf(field)],
    async run(session) {
      const { event, polled } = await firstEvent(session);
      must(event[field] !== undefined, `The body of a webhook has no ${field}.`);
      const isTime = field === "completed_at";
      const [sent, known] = [event, polled].map((fields) => instantOf(fields[field]));
      const areTimes = sent !== undefined && known !== undefined;
      need(!isTime || areTimes, "completed_at is not a time, which has other checks.");
      // A time may have another form.
      if (isTime && sent === known) return;
      mustEqual(field, event[field], polled[field] ?? null);
    },
  })),
  "webhooks.body.result-url": {
    title: "Has the URL of the image in result_url after success",
    rules: [resultUrl],
    async run(session) {
      const { event, polled } = await firstEvent(session);
      need(polled["status"] === "succeeded", "The job did not succeed.");
      await mustHaveImage(session, event, polled);
    },
  },
  "webhooks.body.result-url.day": {
    title: "Has a result_url that works for a day",
    rules: [resultUrl],
    level: "full",
    async run(session) {
      needVirtualTime(session);
      const { jobId, first } = await sendWebhook(session);
      const event = eventOf(first);
      const hasImage = (await imageStatus(session, event)) === 200;
      need(hasImage, "result_url does not lead to the image, which has other checks.");
      await session.time.pass(23 * hour);
      await mustHaveImage(session, event, fieldsOf((await session.http.poll(jobId)).json));
    },
  },
  "webhooks.body.failed": {
    title: "Reports a failed job as a poll does, without a result_url",
    rules: ["webhook.body.status", "webhook.body.event", resultUrl],
    async run(session) {
      const { event, polled } = await firstEvent(session, "failed");
      for (const field of ["status", "error_code", "error_message"]) {
        mustEqual(field, event[field] ?? null, polled[field] ?? null);
      }
      mustEqual("event", event["event"], "tryon.completed");
      const { result_url: url = null } = event;
      must(url === null, "The event of a failed job has a result_url.");
    },
  },
});

function ruleOf(field: string): string {
  return `webhook.body.${field.replace("_", "-")}`;
}

function mustEqual(field: string, value: unknown, expected: unknown): void {
  const [actual, wanted] = [value, expected].map((one) => JSON.stringify(one));
  must(value === expected, `Expected ${field} of a webhook to be ${wanted}, got ${actual}.`);
}

async function mustHaveImage(session: Session, event: Fields, polled: Fields): Promise<void> {
  const status = await imageStatus(session, event);
  if (status === 200) return;
  const isPolledUrlValid = (await imageStatus(session, polled)) === 200;
  need(isPolledUrlValid, "The result_url of the poll does not lead to the image either.");
  must(false, `Expected 200 for result_url of a webhook, as of a poll, got ${status ?? "no URL"}.`);
}

async function imageStatus(
  { http }: Session,
  { result_url: url }: Fields,
): Promise<number | undefined> {
  if (typeof url !== "string" || !URL.canParse(url)) return undefined;
  return (await http.request("GET", url, { key: null })).status;
}
