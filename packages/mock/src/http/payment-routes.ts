import type { Hono } from "hono";
import * as z from "zod";

import { hmacHex, sameText } from "../service/digest.ts";
import { ServiceError } from "../service/service-error.ts";
import { json, errorResponse } from "./responses.ts";
import { readBytes, readPatience } from "./body.ts";
import type { Site } from "./calls.ts";
import { jsonLimitProblem } from "./json-limits.ts";

/** How far, in seconds, the time of a notification may be from the server's. */
const tolerance = 300;

const notification = z.looseObject({
  type: z.string(),
  data: z.looseObject({ object: z.looseObject({ id: z.string() }) }),
});

/** Where the payment processor reports payments that have become final. */
export function addPaymentRoutes(app: Hono, site: Site, secret: string): void {
  app.post("/api/webhooks/payments", async (context) => {
    try {
      const body = await site.system.clock.outside(readBytes(context.req.raw), readPatience);
      const signed = context.req.header("stripe-signature") ?? "";
      requireSignature(signed, body, secret, site.service.now());
      const read = notification.safeParse(parse(body));
      if (!read.success) throw new ServiceError("bad-request", "The notification is not an event.");
      if (read.data.type === "payment_intent.succeeded") {
        await site.service.purchases.settle(read.data.data.object.id, "succeeded");
      }
      return json({ received: true });
    } catch (error) {
      return errorResponse(error, site.service.options);
    }
  });
}

/** @throws Refusal `bad-request` unless the header signs this body at about this time. */
function requireSignature(header: string, body: Uint8Array, secret: string, now: number): void {
  const parts = header.split(",").map((part) => part.trim());
  const time = parts.find((part) => part.startsWith("t="))?.slice(2) ?? "";
  const expected = hmacHex(secret, signedBytes(time, body));
  const matches = parts.some((part) => part.startsWith("v1=") && sameText(expected, part.slice(3)));
  if (!matches) throw new ServiceError("bad-request", "Stripe-Signature does not match the body.");
  const seconds = /^\d+$/.test(time) ? Number(time) : Number.NaN;
  if (Math.abs(seconds - now / 1_000) <= tolerance) return;
  throw new ServiceError(
    "bad-request",
    `Stripe-Signature has a time over ${tolerance} seconds away from the server's.`,
  );
}

/** The time, a full stop and the body as it came: bytes that are no UTF-8 must not pass for others. */
function signedBytes(time: string, body: Uint8Array): Uint8Array {
  const head = new TextEncoder().encode(`${time}.`);
  const bytes = new Uint8Array(head.length + body.length);
  bytes.set(head);
  bytes.set(body, head.length);
  return bytes;
}

function parse(body: Uint8Array): unknown {
  if (jsonLimitProblem(body) !== undefined) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
