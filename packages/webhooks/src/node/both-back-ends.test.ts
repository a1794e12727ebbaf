import * as fc from "fast-check";
import { expect, it } from "vitest";
import { safeVerify, sign } from "../index.ts";
import type { VerifyOptions } from "../index.ts";
import { safeVerifySync } from "./index.ts";
import type { VerifySyncOptions } from "./index.ts";

const secret = "whsec_test";
const headers = { "x-service-signature": await sign({ body: "{}", secret }) };
const anything = fc.anything({ withNullPrototype: true, withTypedArray: true, withMap: true });

/** What both make of the same delivery, anything at all being in it. */
async function outcomes(delivery: object) {
  // Much of it is forbidden by the types.
  const options = { body: "{}", headers, secrets: secret, ...delivery } as VerifyOptions &
    VerifySyncOptions;
  return { waited: await safeVerify(options), atOnce: safeVerifySync(options) };
}

it("whatever is no body is refused by both, though each says in its own words what to do", async () => {
  const property = fc.asyncProperty(anything, async (body) => {
    const { waited, atOnce } = await outcomes({ body });
    expect(atOnce).toMatchObject({ ok: false, code: !waited.ok && waited.code });
  });
  await fc.assert(property, { numRuns: 1_000 });
});

it("whatever is no secret is refused by both in the same words", async () => {
  const property = fc.asyncProperty(anything, async (secrets) => {
    const { waited, atOnce } = await outcomes({ secrets });
    expect(atOnce).toStrictEqual(waited);
  });
  await fc.assert(property, { numRuns: 1_000 });
});
