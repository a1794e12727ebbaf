import { expect, it } from "vitest";

import { completed as body, completedHeaders, secret } from "../../test/events.ts";
import { safeVerify, type WebhookHeaders } from "../index.ts";

const name = "x-service-signature";
const signature = completedHeaders["X-Service-Signature"];

it("reads pairs with a number as a name, and no inherited signature", async () => {
  const outcomes = [
    [
      [7, "odd"],
      [name, signature],
    ],
    Object.create({ [name]: signature }),
  ].map((headers) =>
    // The types forbid these values and JavaScript allows them.
    safeVerify({ body, headers: headers as WebhookHeaders, secrets: secret }),
  );
  const expected = [{ ok: true }, { ok: false, code: "missing_signature" }];
  expect(await Promise.all(outcomes)).toMatchObject(expected);
});
