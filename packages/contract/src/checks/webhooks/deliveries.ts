import { createHmac } from "node:crypto";

import { must, need } from "../../outcome.ts";
import { jobIdOf } from "../../submission.ts";
import type { Session } from "../../session.ts";
import type { Delivery, Hook, HookResponse } from "../../target/receiver.ts";
import { fieldsOf, type Fields, type HttpResponse } from "../../wire/response.ts";
import { parseJson } from "../../wire/send.ts";
import type { Key } from "../../target/keys.ts";

/** Precision of arrival times in milliseconds: a virtual clock advances in these steps. */
export const step = 250;

/** A job with the webhooks that it sent. Many checks share one job, so that a deployment makes it once. */
interface WebhookJob {
  readonly jobId: string;
  readonly poll: HttpResponse;
  readonly deliveries: readonly Delivery[];
}

/** Kinds of jobs with webhooks. The receiver responds with 500 to those of `undelivered`. */
type WebhookJobKind = "succeeded" | "failed" | "undelivered";

/** Runs a job with a webhook once in a run, even if it fails. @throws SkipCheck for `failed` without the control API. */
export function webhookJob(session: Session, kind: WebhookJobKind): Promise<WebhookJob> {
  return session.context.jobWaits.once(`webhook ${kind}`, () => runWebhookJob(session, kind));
}

async function runWebhookJob(session: Session, kind: WebhookJobKind): Promise<WebhookJob> {
  if (kind === "failed") await session.keys.setNextJob({ outcome: "model_rejected" });
  const hook = session.http.openHook(() => ({ status: kind === "undelivered" ? 500 : 200 }));
  const jobId = await startWithHook(session, hook);
  const poll = await session.http.waitForEnd(jobId);
  await waitForDeliveries(session, hook);
  // The last retry comes after 21 s.
  if (kind === "undelivered" && hook.deliveries.length > 0) {
    await waitForDeliveries(session, hook, { count: Infinity, within: 85_000 });
  }
  return { jobId, poll, deliveries: [...hook.deliveries] };
}

export async function sendWebhook(
  session: Session,
  respond: HookResponse = () => ({ status: 200 }),
) {
  const hook = session.http.openHook(respond);
  const jobId = await startWithHook(session, hook);
  await session.http.waitForEnd(jobId);
  return { hook, jobId, first: firstOf(await waitForDeliveries(session, hook)) };
}

export async function firstEvent(session: Session, kind: WebhookJobKind = "succeeded") {
  const { jobId, poll, deliveries } = await webhookJob(session, kind);
  const delivery = firstOf(deliveries);
  const polled: Fields = { ...fieldsOf(poll.json), job_id: jobId };
  return { jobId, delivery, event: eventOf(delivery), polled };
}

export async function startWithHook(
  { http }: Session,
  { url }: Pick<Hook, "url">,
): Promise<string> {
  const response = await http.submit({ webhook_url: url });
  need(
    response.status !== 400 || url.startsWith("https:"),
    `The deployment refuses a webhook_url on this machine: ${String(fieldsOf(response.json)["detail"])} Use --webhook-url with a public https URL that leads to --webhook-port.`,
  );
  return jobIdOf(response);
}

/** Waits for a number of webhooks, at most for some time. With a virtual clock each arrives at its own time. */
export async function waitForDeliveries(
  { time }: Session,
  { deliveries }: Hook,
  { count = 1, within = 30_000 }: { readonly count?: number; readonly within?: number } = {},
): Promise<readonly Delivery[]> {
  const end = time.now() + within;
  while (deliveries.length < count && time.now() < end) await time.pass(step);
  return deliveries;
}

export function firstOf([first]: readonly Delivery[]): Delivery {
  need(first !== undefined, "No webhook arrived, which has other checks.");
  return first;
}

export function eventOf({ text }: Delivery): Fields {
  const fields = fieldsOf(parseJson(text));
  must(Object.keys(fields).length > 0, "The body of the webhook is not a JSON object.");
  return fields;
}

export function signatureOf({ headers }: Delivery): string | null {
  return headers.get("x-service-signature");
}

/** If true, a webhook is signed over its bytes, in any notation of the signature. */
export function isSigned(delivery: Delivery, secret: string): boolean {
  const expected = createHmac("sha256", secret).update(delivery.bytes).digest("hex");
  return signatureOf(delivery)?.toLowerCase().endsWith(expected) ?? false;
}

export function secretOf({ webhookSecret }: Key): string {
  const message = "It takes the secret that signs the key's webhooks (--secret-file).";
  need(webhookSecret !== undefined, message);
  return webhookSecret;
}
