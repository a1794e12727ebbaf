import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import * as z from "zod";

import { hmacHex, sameText } from "../service/digest.ts";
import { badRequest } from "../service/service-error.ts";
import { json, errorResponse } from "./responses.ts";
import { parseJson, readBytes, readInTime } from "./body.ts";
import type { Router } from "./router.ts";
import type { RouteContext } from "./with-key.ts";

/** Maximum difference between the time of a notification and the server's, in seconds. */
const tolerance = 300;

const notification = z.looseObject({
  type: z.string(),
  data: z.looseObject({ object: z.looseObject({ id: z.string() }) }),
});

export function addPaymentRoutes(
  router: Router,
  { service, system }: RouteContext,
  secret: string,
): void {
  router.add("POST", "/api/webhooks/payments", async (request) => {
    try {
      const body = await readInTime(request, system.clock, () => readBytes(request));
      const signature = request.headers.get("stripe-signature") ?? "";
      checkSignature(signature, body, secret, service.now());
      const { data: event } = notification.safeParse(parseJson(body).value);
      if (!event) return badRequest("The notification is not an event.");
      if (event.type === "payment_intent.succeeded") {
        await service.purchases.settle(event.data.object.id, "succeeded");
      }
      return json({ received: true });
    } catch (error) {
      return errorResponse(error, service.options);
    }
  });
}

function checkSignature(header: string, body: Uint8Array, secret: string, now: number): void {
  const parts = header.split(",").map((part) => part.trim());
  const time = parts.find((part) => part.startsWith("t="))?.slice(2) ?? "";
  // Decoding the body would equate invalid UTF-8 with its replacement.
  const expected = hmacHex(secret, concatBytes(utf8ToBytes(`${time}.`), body));
  const matches = parts.some((part) => part.startsWith("v1=") && sameText(expected, part.slice(3)));
  if (!matches) return badRequest("Stripe-Signature does not match the body.");
  const seconds = /^\d+$/.test(time) ? Number(time) : Number.NaN;
  if (Math.abs(seconds - now / 1_000) <= tolerance) return;
  return badRequest(
    `Stripe-Signature has a time over ${tolerance} seconds away from the server's.`,
  );
}
