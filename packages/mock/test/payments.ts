import { createHmac } from "node:crypto";

import type { Mock } from "../src/mock.ts";
import { caller, type ClientResponse } from "./caller.ts";

/** A notification of the payment processor, and in what it differs from a right one. */
export interface NotificationInput {
  readonly id?: string;
  readonly type?: string;
  readonly secret?: string;
  /** How many seconds before the server's time it was signed. */
  readonly ageSeconds?: number;
  /** What is signed and sent as the time. */
  readonly time?: string;
  /** The whole header in place of a right one. */
  readonly header?: string;
  readonly otherSignature?: string;
  /** The bytes that are signed, where they are not the usual ones. */
  readonly signed?: Uint8Array;
  /** The body that is sent, where it is not the one that is signed. */
  readonly sent?: string | Uint8Array;
}

/** Notifies the server as the payment processor does. */
export function notify(mock: Mock, input: NotificationInput): Promise<ClientResponse<unknown>> {
  const { id = "", type = "payment_intent.succeeded", secret = "whsec_mock_payments" } = input;
  const text = JSON.stringify({ type, data: { object: { id, object: "payment_intent" } } });
  const signed = input.signed ?? Buffer.from(text);
  const time = input.time ?? String(Math.floor(mock.clock.now() / 1_000) - (input.ageSeconds ?? 0));
  const signature = createHmac("sha256", secret).update(`${time}.`).update(signed).digest("hex");
  const others = input.otherSignature === undefined ? "" : `v1=${input.otherSignature},`;
  const sent = input.sent ?? signed;
  return caller(mock, null).call("/api/webhooks/payments", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "stripe-signature": input.header ?? `t=${time},${others}v1=${signature}`,
    },
    body: typeof sent === "string" ? sent : new Uint8Array(sent),
  });
}
