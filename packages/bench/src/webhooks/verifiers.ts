import { createHmac, timingSafeEqual } from "node:crypto";

import { verify } from "@tryon/webhooks";
import { verifySync } from "@tryon/webhooks/node";

import { loadModule, loadPeer } from "../client/load-peer.ts";
import { headersOf, jobId, secret } from "./delivery.ts";

/** Verifies a body as the one that was signed; throws, or promises to, for another. */
export type Verifier = (body: Buffer) => unknown;

const job = { "x-service-event": "tryon.completed", "x-service-job-id": jobId };

const signed = (body: Buffer): string =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

/** What everybody has to do at least. */
function bareHmac(body: Buffer): Verifier {
  const sent = signed(body);
  return (arrived) => {
    const digest = createHmac("sha256", secret).update(arrived).digest();
    if (timingSafeEqual(digest, Buffer.from(sent.slice("sha256=".length), "hex"))) return;
    throw new Error("The signature does not fit.");
  };
}

interface Standard {
  sign(id: string, time: Date, payload: string): string;
  verify(payload: Buffer, headers: Readonly<Record<string, string>>): unknown;
}
type StandardModule = Readonly<{ Webhook: new (secret: string) => Standard }>;

/** svix and standardwebhooks have one way of signing, and different names for its headers. */
async function standard(name: string, prefix: string, body: Buffer): Promise<Verifier> {
  const { Webhook } = await loadModule<StandardModule>(name);
  const webhook = new Webhook(secret);
  const time = new Date();
  const headers = headersOf(body, {
    [`${prefix}-id`]: "msg_1",
    [`${prefix}-timestamp`]: String(Math.floor(time.getTime() / 1_000)),
    [`${prefix}-signature`]: webhook.sign("msg_1", time, body.toString()),
  });
  return (arrived) => webhook.verify(arrived, headers);
}

/** Makes a verifier for what is signed as that body, by the name of the row. */
export const verifiers = {
  "bare HMAC": async (body) => bareHmac(body),
  "bare HMAC + JSON.parse": async (body) => {
    const verifier = bareHmac(body);
    return (arrived) => {
      verifier(arrived);
      return JSON.parse(arrived.toString());
    };
  },
  "bare HMAC + JSON.parse of a text that is ready": async (body) => {
    const verifier = bareHmac(body);
    const text = body.toString();
    return (arrived) => {
      verifier(arrived);
      return JSON.parse(text);
    };
  },
  "@tryon/webhooks/node, verifySync": async (body) => {
    const headers = headersOf(body, { ...job, "x-service-signature": signed(body) });
    return (arrived) => verifySync({ body: arrived, headers, secrets: secret });
  },
  "@tryon/webhooks, verify": async (body) => {
    const headers = headersOf(body, { ...job, "x-service-signature": signed(body) });
    return (arrived) => verify({ body: arrived, headers, secrets: secret });
  },
  stripe: async (body) => {
    interface Stripe {
      readonly webhooks: {
        generateTestHeaderString(options: { payload: string; secret: string }): string;
        constructEvent(payload: Buffer, header: string, secret: string): unknown;
      };
    }
    const { webhooks } = await loadPeer<Stripe>("stripe");
    const header = webhooks.generateTestHeaderString({ payload: body.toString(), secret });
    return (arrived) => webhooks.constructEvent(arrived, header, secret);
  },
  svix: async (body) => standard("svix", "svix", body),
  standardwebhooks: async (body) => standard("standardwebhooks", "webhook", body),
  "@octokit/webhooks-methods": async (body) => {
    interface Octokit {
      verify(secret: string, payload: string, signature: string): Promise<boolean>;
    }
    const octokit = await loadModule<Octokit>("@octokit/webhooks-methods");
    const signature = signed(body);
    return async (arrived) => {
      if (await octokit.verify(secret, arrived.toString(), signature)) return;
      throw new Error("The signature does not fit.");
    };
  },
} satisfies Readonly<Record<string, (body: Buffer) => Promise<Verifier>>>;

/**
 * Makes the verifier of a name, and has it take what was signed and refuse what was not.
 *
 * @throws Error when it does otherwise, since its figures would mean nothing.
 */
export async function provenVerifier(name: string, body: Buffer): Promise<Verifier> {
  const make = Object.entries(verifiers).find(([known]) => known === name)?.[1];
  if (make === undefined) throw new Error(`There is no ${name} among the verifiers.`);
  const verifier = await make(body);
  await verifier(body);
  const forged = Buffer.from(body);
  forged[20] = (forged[20] ?? 0) ^ 1;
  let refused = false;
  try {
    await verifier(forged);
  } catch {
    refused = true;
  }
  if (!refused) throw new Error(`${name} took a body that was not signed.`);
  return verifier;
}
