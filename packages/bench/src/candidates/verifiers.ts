import { rejects } from "node:assert/strict";
import { createHmac, timingSafeEqual } from "node:crypto";

import { verify } from "@tryon/webhooks";
import { verifySync } from "@tryon/webhooks/node";

import { importPeer } from "../peers.ts";
import type { Call } from "../statistics.ts";
import { signEvent, webhookSecret as secret } from "./fixtures.ts";

/** Functions by the names of their rows that throw or reject for any body but the signed one. */
type Verifiers = Readonly<Record<string, (received: Buffer) => unknown>>;

export const bareHmac = "HMAC alone";
export const bareHmacAndParse = "HMAC and JSON.parse";

export function ownVerifiers(signed: Buffer): Verifiers {
  const signature = signEvent(signed);
  const headers = { "x-service-signature": signature };
  const hmac = (received: Buffer): void => {
    const digest = createHmac("sha256", secret).update(received).digest();
    const sent = Buffer.from(signature.slice("sha256=".length), "hex");
    if (!timingSafeEqual(digest, sent)) throw new Error("The signature does not match.");
  };
  return {
    [bareHmac]: hmac,
    [bareHmacAndParse]: (body) => {
      hmac(body);
      return JSON.parse(body.toString());
    },
    "@tryon/webhooks/node, verifySync": (body) => verifySync({ body, headers, secrets: secret }),
    "@tryon/webhooks, verify": (body) => verify({ body, headers, secrets: secret }),
  };
}

export async function peerVerifiers(signed: Buffer): Promise<Verifiers> {
  const { webhooks } = (await importPeer("stripe")).default;
  const header = webhooks.generateTestHeaderString({ payload: signed.toString(), secret });
  const octokit = await importPeer("@octokit/webhooks-methods");
  const signature = signEvent(signed);
  return {
    stripe: (body) => webhooks.constructEvent(body, header, secret),
    svix: await standard("svix", "svix", signed),
    standardwebhooks: await standard("standardwebhooks", "webhook", signed),
    "@octokit/webhooks-methods": async (body) => {
      const verified: unknown = octokit.verify(secret, body.toString(), signature);
      if ((await verified) !== true) throw new Error("The signature does not match.");
    },
  };
}

/** svix and standardwebhooks sign alike, with headers of different names. */
async function standard(name: string, prefix: string, signed: Buffer) {
  const { Webhook } = await importPeer(name);
  const webhook = new Webhook(secret);
  const time = new Date();
  const headers = {
    [`${prefix}-id`]: "msg_1",
    [`${prefix}-timestamp`]: String(Math.floor(time.getTime() / 1_000)),
    [`${prefix}-signature`]: webhook.sign("msg_1", time, signed.toString()),
  };
  return (body: Buffer) => webhook.verify(body, headers);
}

/** Creates calls of verifiers, each of which has accepted the signed body and rejected a changed one. */
export async function checkedCalls(verifiers: Verifiers, signed: Buffer) {
  const changed = Buffer.from(signed);
  changed.write("x", 20);
  const calls: Record<string, Call> = {};
  for (const [name, verifier] of Object.entries(verifiers)) {
    await verifier(signed);
    const message = `${name} accepted a body that was not signed.`;
    await rejects(async () => verifier(changed), Error, message);
    calls[name] = () => verifier(signed);
  }
  return calls;
}
