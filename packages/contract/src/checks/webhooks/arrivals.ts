import { must, SkipCheck } from "../../outcome.ts";
import { jobIdOf } from "../../submission.ts";
import type { Key } from "../../check-context.ts";
import type { Session } from "../../session.ts";
import type { Delivery, Hook } from "../../target/receiver.ts";
import { fieldsOf, type Fields } from "../../wire/response.ts";

/** How exactly times are seen, in milliseconds: time that is moved is moved by so much. */
export const step = 250;

/** Submits a try-on whose end is told to a hook, and gives the job's id. @throws Skip where the address is not taken. */
export async function startTold(
  session: Session,
  { url }: Pick<Hook, "url">,
  { key = session.key, ...fields }: Fields & { readonly key?: Key } = {},
): Promise<string> {
  const answer = await session.submit({ ...fields, webhook_url: url }, { key });
  if (answer.status === 400 && !url.startsWith("https:")) {
    throw new SkipCheck(
      `The deployment takes no webhook_url on this machine: ${String(fieldsOf(answer.json)["detail"])} Give --webhook-url, a public https address that leads to --webhook-port.`,
    );
  }
  return jobIdOf(answer);
}

/** Lets time pass until so many webhooks have come, or so long that they will not. */
export async function arrived(
  session: Session,
  { deliveries }: Hook,
  { count = 1, within = 30_000 }: { readonly count?: number; readonly within?: number } = {},
): Promise<readonly Delivery[]> {
  const { time } = session;
  const until = time.now() + within;
  while (deliveries.length < count && time.now() < until) await time.pass(step);
  return deliveries;
}

/** Lets time pass, and notes what comes at its own time. */
export async function watched(session: Session, milliseconds: number): Promise<void> {
  const { time } = session;
  const until = time.now() + milliseconds;
  while (time.now() < until) await time.pass(step);
}

/** The first webhook. @throws Skip when none has come: that one comes is a claim of its own. */
export function firstOf(deliveries: readonly Delivery[]): Delivery {
  const [first] = deliveries;
  if (first !== undefined) return first;
  throw new SkipCheck("No webhook came, which other checks look at.");
}

/** The fields of a webhook's body. @throws Broken when it is not an object of JSON. */
export function eventOf({ text }: Delivery): Fields {
  const fields = fieldsOf(parsed(text));
  must(Object.keys(fields).length > 0, "The body of the webhook is no object of JSON.");
  return fields;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
