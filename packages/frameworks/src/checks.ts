import { once } from "node:events";
import { request } from "node:http";
import { text } from "node:stream/consumers";

import { TryOn } from "@tryon/client";
import { sign } from "@tryon/webhooks";

/** App that serves the receiver at `/webhooks/tryon`, and the proxy below `/api/tryon`. */
interface RunningApp {
  readonly url: string;
  readonly secret: string;
  /** Events that the receiver has handled, each as its id and its text. */
  readonly handled: () => readonly string[];
  /** Waits until an event is handled, for some seconds at most. */
  readonly untilHandled: (id: string) => Promise<void>;
  /** Number of try-ons that the service has charged. */
  readonly charges: () => Promise<number>;
}

export interface Check {
  readonly does: string;
  /** If true, a failure loses an event or charges twice. */
  readonly isFatal: boolean;
  readonly of: "receiver" | "proxy";
  /** Returns what was wrong, or `undefined`. */
  readonly run: (app: RunningApp) => Promise<string | undefined>;
}

/** Text with characters of several bytes, and one outside the basic plane. */
const message = "Träger fehlt 鍵 𝌆";

interface Delivery {
  readonly id: string;
  readonly secret: string;
  readonly method?: string;
  /** Length of the pieces in which the body is sent, in bytes. */
  readonly pieces?: number;
}

/** Sends a request to the receiver, and returns the status. */
async function deliver({ url }: RunningApp, delivery: Delivery): Promise<number> {
  const { id, secret, method = "POST", pieces } = delivery;
  const event = { event: "tryon.completed", job_id: id, status: "failed", error_message: message };
  const body = Buffer.from(JSON.stringify(event));
  const headers = {
    "content-type": "application/json",
    "user-agent": "tryon-webhooks/1",
    "x-service-event": event.event,
    "x-service-job-id": id,
    "x-service-signature": await sign({ body, secret }),
  };
  const outgoing = request(`${url}/webhooks/tryon`, { method, headers, agent: false });
  outgoing.setNoDelay(true);
  const responded = once(outgoing, "response");
  if (method === "GET") outgoing.end();
  else if (pieces === undefined) outgoing.end(body);
  else {
    for (let at = 0; at < body.length; at += pieces)
      await new Promise<void>((sent) =>
        outgoing.write(body.subarray(at, at + pieces), () => sent()),
      );
    outgoing.end();
  }
  const [response] = await responded;
  await text(response);
  return response.statusCode;
}

const isDelivered = (status: number): boolean => status >= 200 && status < 300;
const handledTimes = ({ handled }: RunningApp, id: string): number =>
  handled().filter((line) => line === `${id} ${message}`).length;

async function deliverOnce(app: RunningApp, delivery: Omit<Delivery, "secret">) {
  const status = await deliver(app, { ...delivery, secret: app.secret });
  if (!isDelivered(status)) return `The response was ${status}.`;
  await app.untilHandled(delivery.id);
  const times = handledTimes(app, delivery.id);
  return times === 1 ? undefined : `The response was ${status}, and it was handled ${times} times.`;
}

/** Returns how often an event was handled, once a later one was. */
async function timesAtLast(app: RunningApp, id: string): Promise<number> {
  const last = `${id}_last`;
  await deliver(app, { id: last, secret: app.secret });
  await app.untilHandled(last);
  return handledTimes(app, id);
}

export const checks: Readonly<Record<string, Check>> = {
  delivery: {
    does: "a signed event with text that is not ASCII",
    of: "receiver",
    isFatal: true,
    run: (app) => deliverOnce(app, { id: "job_one" }),
  },
  chunks: {
    does: "an event in chunks of 7 bytes",
    of: "receiver",
    isFatal: true,
    run: (app) => deliverOnce(app, { id: "job_chunks", pieces: 7 }),
  },
  copies: {
    does: "twelve events at once, each three times: each is handled once",
    of: "receiver",
    isFatal: true,
    async run(app) {
      const ids = Array.from({ length: 36 }, (_, index) => `job_copy_${index % 12}`);
      const send = (id: string) => deliver(app, { id, secret: app.secret });
      const statuses = await Promise.all(ids.map(send));
      await timesAtLast(app, "job_copies");
      const wrong = ids.find((id) => handledTimes(app, id) !== 1);
      if (wrong !== undefined) return `${wrong} was handled ${handledTimes(app, wrong)} times.`;
      // 503 asks for another delivery, since a copy is in progress.
      const other = statuses.find((status) => !isDelivered(status) && status !== 503);
      return other === undefined ? undefined : `A response was ${other}.`;
    },
  },
  forged: {
    does: "an event with a wrong secret is refused",
    of: "receiver",
    isFatal: true,
    async run(app) {
      const status = await deliver(app, { id: "job_forged", secret: "whsec_guessed" });
      if ((await timesAtLast(app, "job_forged")) > 0) return "It was handled.";
      return status === 400 ? undefined : `The response was ${status}.`;
    },
  },
  get: {
    does: "a GET is refused",
    of: "receiver",
    isFatal: false,
    async run(app) {
      const status = await deliver(app, { id: "job_get", secret: app.secret, method: "GET" });
      if ((await timesAtLast(app, "job_get")) > 0) return "It was handled.";
      return status >= 400 && status < 500 ? undefined : `The response was ${status}.`;
    },
  },
  proxy: {
    does: "a page submits a photo of 2.4 MB and polls for the image: one charge",
    of: "proxy",
    isFatal: true,
    async run({ url, charges }) {
      const before = await charges();
      const page = new TryOn({ proxyUrl: `${url}/api/tryon` });
      const bytes = new Uint8Array(2_400_000);
      bytes.set([0xff, 0xd8, 0xff, 0xe0]);
      const person = new Blob([bytes], { type: "image/jpeg" });
      const garments = ["https://shop.example/shirt.png"] as const;
      const job = await page.submit({ person, garments });
      const { image } = await job.result();
      if ((await image.bytes())[1] !== 80) return "The image is not a PNG.";
      const charged = (await charges()) - before;
      return charged === 1 ? undefined : `It was charged ${charged} times.`;
    },
  },
};
