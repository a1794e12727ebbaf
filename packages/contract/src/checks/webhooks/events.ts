import { must, SkipCheck } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import type { Delivery } from "../../target/receiver.ts";
import { eventProblems } from "../../wire/document.ts";
import { instantOf } from "../../wire/instant.ts";
import { fieldsOf, type Fields } from "../../wire/response.ts";
import { checkGroup } from "../expectations.ts";
import {
  eventOf,
  firstEvent,
  firstOf,
  isSigned,
  secretOf,
  signatureHeader,
  startWithHook,
  waitForDeliveries,
} from "./deliveries.ts";
import type { Key } from "../../target/keys.ts";

const hour = 3_600_000;
const resultUrl = "webhook.body.result-url";

const headerChecks = checkGroup({ level: "safe", on: "any", credits: 8 }, [
  {
    id: "webhooks.header.signature",
    title: "Signs a webhook in X-Service-Signature with sha256= and 64 hexadecimal digits",
    rules: ["webhook.header.signature"],
    async run(session) {
      const signature = (await firstEvent(session)).delivery.headers.get(signatureHeader);
      must(signature !== null, "A webhook has no X-Service-Signature.");
      must(
        /^sha256=[0-9a-f]{64}$/i.test(signature),
        `Expected sha256= with 64 hexadecimal digits in X-Service-Signature, got ${signature}.`,
      );
    },
  },
  {
    id: "webhooks.header.event",
    title: "Has tryon.completed in X-Service-Event",
    rules: ["webhook.header.event"],
    async run(session) {
      mustHaveHeader(await firstEvent(session), "X-Service-Event", "tryon.completed");
    },
  },
  {
    id: "webhooks.header.job-id",
    title: "Has the id of the job in X-Service-Job-Id",
    rules: ["webhook.header.job-id"],
    async run(session) {
      const job = await firstEvent(session);
      mustHaveHeader(job, "X-Service-Job-Id", job.jobId);
    },
  },
  {
    id: "webhooks.signature",
    title: "Signs the bytes that it sends with HMAC-SHA256 under the key's secret",
    rules: ["webhook.signature.hmac", "auth.webhook-secret.signs"],
    async run(session) {
      const secret = secretOf(session.key);
      const { delivery } = await firstEvent(session);
      if (!delivery.headers.has(signatureHeader)) {
        throw new SkipCheck("The webhook is not signed, which has other checks.");
      }
      must(
        isSigned(delivery, secret),
        "X-Service-Signature is not the HMAC-SHA256 of the body's bytes under the key's secret.",
      );
    },
  },
  {
    id: "webhooks.secret.of-key",
    title: "Signs the webhooks of each key under its own secret, which begins with whsec_",
    rules: ["auth.webhook-secret.signs"],
    credits: 0,
    async run(session) {
      const key = await session.freshKey();
      const sibling = await session.siblingKey(key);
      const [secret, otherSecret] = [secretOf(key), secretOf(sibling)];
      must(
        secret.startsWith("whsec_") && otherSecret.startsWith("whsec_"),
        "The webhook secret of a new key does not begin with whsec_.",
      );
      must(secret !== otherSecret, "Two keys of an account have one webhook secret.");
      must(
        !isSigned(await webhookOf(session, key), otherSecret) &&
          !isSigned(await webhookOf(session, sibling), secret),
        "A webhook is signed under the secret of another key.",
      );
    },
  },
]);

/** Headers, signatures and bodies of webhooks. */
export const eventChecks = [
  ...headerChecks,
  ...checkGroup({ level: "safe", on: "any", credits: 8 }, [
    {
      id: "webhooks.body.shape",
      title: "Has a body as spec/openapi.json says",
      rules: [
        "webhook.body.event",
        "webhook.body.job-id",
        "webhook.body.status",
        resultUrl,
        "webhook.body.error-code",
        "webhook.body.error-message",
        "webhook.body.duration-ms",
        "webhook.body.completed-at",
      ],
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
    {
      id: "webhooks.body.job-id",
      title: "Has the id of the job in job_id",
      rules: ["webhook.body.job-id"],
      async run(session) {
        const { event, jobId } = await firstEvent(session);
        mustEqual("job_id", event["job_id"], jobId);
      },
    },
    ...["status", "error_code", "error_message", "duration_ms"].map((field) => ({
      id: `webhooks.body.${field.replace("_", "-")}`,
      title: `Has the same ${field} as a poll`,
      rules: [`webhook.body.${field.replace("_", "-")}`],
      async run(session: Session) {
        const { event, polled } = await firstEvent(session);
        must(event[field] !== undefined, `The body of a webhook has no ${field}.`);
        mustEqual(field, event[field], polled[field] ?? null);
      },
    })),
    {
      id: "webhooks.body.completed-at",
      title: "Has the same completed_at as a poll",
      rules: ["webhook.body.completed-at"],
      async run(session) {
        const { event, polled } = await firstEvent(session);
        must(event["completed_at"] !== undefined, "The body of a webhook has no completed_at.");
        const [sent, known] = [event, polled].map((fields) => instantOf(fields["completed_at"]));
        if (sent === undefined || known === undefined) {
          throw new SkipCheck("completed_at is not a time, which has other checks.");
        }
        if (sent !== known)
          mustEqual("completed_at", event["completed_at"], polled["completed_at"]);
      },
    },
    {
      id: "webhooks.body.result-url",
      title: "Has the URL of the image in result_url after success",
      rules: [resultUrl],
      async run(session) {
        const { event, polled } = await firstEvent(session);
        if (polled["status"] !== "succeeded") throw new SkipCheck("The job did not succeed.");
        await mustHaveImage(session, event, polled);
      },
    },
    {
      id: "webhooks.body.result-url.day",
      title: "Has a result_url that works for a day",
      rules: [resultUrl],
      level: "full",
      async run(session) {
        if (!session.time.virtual) throw new SkipCheck("This takes a day without a virtual clock.");
        const hook = session.openHook(() => ({ status: 200 }));
        const jobId = await startWithHook(session, hook);
        await session.waitForEnd(jobId);
        const event = eventOf(firstOf(await waitForDeliveries(session, hook)));
        if ((await imageStatus(session, event)) !== 200) {
          throw new SkipCheck("result_url does not lead to the image, which has other checks.");
        }
        await session.time.pass(23 * hour);
        await mustHaveImage(session, event, fieldsOf((await session.poll(jobId)).json));
      },
    },
    {
      id: "webhooks.body.failed",
      title: "Reports a failed job as a poll does, without a result_url",
      rules: ["webhook.body.status", "webhook.body.event", resultUrl],
      async run(session) {
        const { event, polled } = await firstEvent(session, "failed");
        for (const field of ["status", "error_code", "error_message"]) {
          mustEqual(field, event[field] ?? null, polled[field] ?? null);
        }
        const { event: kind, result_url: url = null } = event;
        must(kind === "tryon.completed", `The event of a failure is ${String(kind)}.`);
        must(url === null, "The event of a failed job has a result_url.");
      },
    },
  ]),
];

/** First webhook of a new job of this key. */
async function webhookOf(session: Session, key: Key): Promise<Delivery> {
  const hook = session.openHook(() => ({ status: 200 }));
  const jobId = await startWithHook(session, hook, key);
  await session.waitForEnd(jobId, { key });
  return firstOf(await waitForDeliveries(session, hook));
}

function mustHaveHeader(
  { delivery }: { readonly delivery: Delivery },
  name: string,
  expected: string,
): void {
  const value = delivery.headers.get(name);
  must(value === expected, `Expected ${expected} in ${name}, got ${value ?? "no such header"}.`);
}

function mustEqual(field: string, value: unknown, expected: unknown): void {
  const [actual, wanted] = [value, expected].map((one) => JSON.stringify(one));
  must(value === expected, `Expected ${field} of a webhook to be ${wanted}, got ${actual}.`);
}

/** @throws CheckFailure unless a webhook has the URL of an image, SkipCheck when a poll has none either. */
async function mustHaveImage(session: Session, event: Fields, polled: Fields): Promise<void> {
  const status = await imageStatus(session, event);
  if (status === 200) return;
  if ((await imageStatus(session, polled)) !== 200) {
    throw new SkipCheck("The result_url of the poll does not lead to the image either.");
  }
  must(false, `Expected 200 for result_url of a webhook, as of a poll, got ${status ?? "no URL"}.`);
}

/** Status of a response with the result, or undefined without a URL. */
async function imageStatus(
  session: Session,
  { result_url: url }: Fields,
): Promise<number | undefined> {
  if (typeof url !== "string" || !URL.canParse(url)) return undefined;
  return (await session.request("GET", url, { key: null })).status;
}
