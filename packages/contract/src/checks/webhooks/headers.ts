import type { Check } from "../../check.ts";
import { must, SkipCheck } from "../../outcome.ts";
import type { Key } from "../../check-context.ts";
import type { Session } from "../../session.ts";
import type { Delivery } from "../../target/receiver.ts";
import { arrived, firstOf, startTold } from "./arrivals.ts";
import { succeeded } from "./samples.ts";
import { isSigned, secretOf, signatureHeader } from "./signature.ts";

/** The headers of a webhook, and its signature. */
export const headerChecks: readonly Check[] = [
  {
    id: "webhooks.header.signature",
    title: "X-Service-Signature is sha256= and 64 hexadecimal digits",
    rules: ["webhook.header.signature"],
    level: "safe",
    on: "any",
    credits: 8,
    async run(session) {
      const { headers } = await sample(session);
      const signature = headers.get(signatureHeader);
      must(signature !== null, "A webhook has no X-Service-Signature.");
      must(
        /^sha256=[0-9a-f]{64}$/i.test(signature),
        `X-Service-Signature is ${signature}, and not sha256= with 64 hexadecimal digits.`,
      );
    },
  },
  {
    id: "webhooks.header.event",
    title: "X-Service-Event is tryon.completed",
    rules: ["webhook.header.event"],
    level: "safe",
    on: "any",
    credits: 8,
    async run(session) {
      const event = (await sample(session)).headers.get("x-service-event");
      must(event === "tryon.completed", `X-Service-Event is ${event}, and not tryon.completed.`);
    },
  },
  {
    id: "webhooks.header.job-id",
    title: "X-Service-Job-Id is the id of the job",
    rules: ["webhook.header.job-id"],
    level: "safe",
    on: "any",
    credits: 8,
    async run(session) {
      const { jobId } = await succeeded(session);
      const told = (await sample(session)).headers.get("x-service-job-id");
      must(told === jobId, `X-Service-Job-Id is ${told}, and the job is ${jobId}.`);
    },
  },
  {
    id: "webhooks.signature",
    title:
      "The signature is the HMAC-SHA256 of the very bytes that were sent, under the key's secret",
    rules: ["webhook.signature.hmac", "auth.webhook-secret.signs"],
    level: "safe",
    on: "any",
    credits: 8,
    async run(session) {
      const secret = secretOf(session.key);
      const delivery = await sample(session);
      if (!delivery.headers.has(signatureHeader)) {
        throw new SkipCheck("The webhook is not signed, which other checks look at.");
      }
      must(
        isSigned(delivery, secret),
        "X-Service-Signature is not the HMAC-SHA256 of the body's bytes under the key's secret.",
      );
    },
  },
  {
    id: "webhooks.secret.of-key",
    title: "Each key has a secret of its own, which begins with whsec_ and signs its webhooks",
    rules: ["auth.webhook-secret.signs"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const one = await session.freshKey();
      const other = await session.freshKey(
        one.accountId === undefined ? {} : { account_id: one.accountId },
      );
      const [secret, otherSecret] = [secretOf(one), secretOf(other)];
      must(
        secret.startsWith("whsec_") && otherSecret.startsWith("whsec_"),
        "The webhook secret of a new key does not begin with whsec_.",
      );
      must(secret !== otherSecret, "Two keys of an account have one webhook secret.");
      must(
        !isSigned(await webhookOf(session, one), otherSecret) &&
          !isSigned(await webhookOf(session, other), secret),
        "A webhook is signed under the secret of another key.",
      );
    },
  },
];

/** The first webhook of a job that succeeded. */
async function sample(session: Session): Promise<Delivery> {
  return firstOf((await succeeded(session)).deliveries);
}

/** The webhook of a new job of this key. */
async function webhookOf(session: Session, key: Key): Promise<Delivery> {
  const hook = session.hook(() => ({ status: 200 }));
  const jobId = await startTold(session, hook, { key });
  await session.end(jobId, { key });
  return firstOf(await arrived(session, hook));
}
