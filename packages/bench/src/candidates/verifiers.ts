import { rejects } from "node:assert/strict";
import { createHmac, timingSafeEqual } from "node:crypto";

import { verify } from "@tryon/webhooks";
import { verifySync } from "@tryon/webhooks/node";

import { importPeer } from "../peers.ts";
import { signEvent, webhookSecret as secret } from "./fixtures.ts";

/** Verifies a body; throws or rejects for any body but the signed one. */
type Verifier = (body: Buffer) => unknown;
type CreateVerifier = (body: Buffer) => Promise<Verifier>;

/** Baselines of the other verifiers. */
export const bareHmac = "HMAC alone";
export const bareHmacAndParse = "HMAC and JSON.parse";

/** Creates a verifier of one signed body, by the name of its row. */
export const verifiers: Readonly<Record<string, CreateVerifier>> = {
  [bareHmac]: async (body) => hmac(body),
  [bareHmacAndParse]: async (body) => {
    const verifier = hmac(body);
    return (received) => {
      verifier(received);
      return JSON.parse(received.toString());
    };
  },
  "@tryon/webhooks/node, verifySync": ours(verifySync),
  "@tryon/webhooks, verify": ours(verify),
  stripe: async (body) => {
    const { webhooks } = (await importPeer("stripe")).default;
    const header = webhooks.generateTestHeaderString({ payload: body.toString(), secret });
    return (received) => webhooks.constructEvent(received, header, secret);
  },
  svix: (body) => standard("svix", "svix", body),
  standardwebhooks: (body) => standard("standardwebhooks", "webhook", body),
  "@octokit/webhooks-methods": async (body) => {
    const octokit = await importPeer("@octokit/webhooks-methods");
    const signature = signEvent(body);
    return async (received) => {
      const verified: unknown = octokit.verify(secret, received.toString(), signature);
      if ((await verified) !== true) throw new Error("The signature does not match.");
    };
  },
};

function ours(verifier: typeof verify | typeof verifySync): CreateVerifier {
  return async (body) => {
    const headers = { "x-service-signature": signEvent(body) };
    return (received) => verifier({ body: received, headers, secrets: secret });
  };
}

function hmac(body: Buffer): Verifier {
  const signature = signEvent(body);
  return (received) => {
    const digest = createHmac("sha256", secret).update(received).digest();
    const sent = Buffer.from(signature.slice("sha256=".length), "hex");
    if (!timingSafeEqual(digest, sent)) throw new Error("The signature does not match.");
  };
}

/** svix and standardwebhooks sign alike, with headers of different names. */
async function standard(name: string, prefix: string, body: Buffer): Promise<Verifier> {
  const { Webhook } = await importPeer(name);
  const webhook = new Webhook(secret);
  const time = new Date();
  const signature: unknown = webhook.sign("msg_1", time, body.toString());
  const headers = {
    [`${prefix}-id`]: "msg_1",
    [`${prefix}-timestamp`]: String(Math.floor(time.getTime() / 1_000)),
    [`${prefix}-signature`]: String(signature),
  };
  return (received) => webhook.verify(received, headers);
}

/**
 * Creates calls of the verifiers, each of which has accepted the signed body and rejected a changed one.
 *
 * @throws Error when one decides otherwise: its times would mean nothing.
 */
export async function createVerifications(body: Buffer, names = Object.keys(verifiers)) {
  const changed = Buffer.from(body);
  changed.write("x", 20);
  const verifications: Record<string, () => unknown> = {};
  for (const name of names) {
    const verifier = await verifiers[name]?.(body);
    await verifier?.(body);
    const message = `${name} accepted a body that was not signed.`;
    await rejects(async () => verifier?.(changed), Error, message);
    verifications[name] = () => verifier?.(body);
  }
  return verifications;
}
