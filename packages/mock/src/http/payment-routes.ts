import type { Hono } from "hono";
import { z } from "zod";

import { hmacHex, sameText } from "../service/digest.ts";
import { Refusal } from "../service/refusal.ts";
import { json, errorAnswer } from "./answers.ts";
import type { Site } from "./calls.ts";

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
      const body = await context.req.text();
      const signed = context.req.header("stripe-signature") ?? "";
      requireSignature(signed, body, secret, site.service.now());
      const read = notification.safeParse(parse(body));
      if (!read.success) throw new Refusal("bad-request", "The notification is not an event.");
      if (read.data.type === "payment_intent.succeeded") {
        await site.service.purchases.settle(read.data.data.object.id, "succeeded");
      }
      return json({ received: true });
    } catch (error) {
      return errorAnswer(error, site.service.options);
    }
  });
}

/** @throws Refusal `bad-request` unless the header signs this body at about this time. */
function requireSignature(header: string, body: string, secret: string, now: number): void {
  const parts = header.split(",").map((part) => part.trim());
  const time = parts.find((part) => part.startsWith("t="))?.slice(2) ?? "";
  const expected = hmacHex(secret, `${time}.${body}`);
  const matches = parts.some((part) => part.startsWith("v1=") && sameText(expected, part.slice(3)));
  if (!matches) throw new Refusal("bad-request", "Stripe-Signature does not match the body.");
  if (Math.abs(Number(time) - now / 1_000) > tolerance) {
    throw new Refusal("bad-request", `Stripe-Signature is over ${tolerance} seconds old.`);
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
