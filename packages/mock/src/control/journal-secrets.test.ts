import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { withFaults } from "../../test/with-faults.ts";

const key = fc.stringMatching(/^[0-9A-Za-z]{24}$/).map((rest) => `svc_live_${rest}`);
const image = fc
  .uint8Array({ minLength: 60, maxLength: 400 })
  .map((bytes) => Buffer.from(bytes).toString("base64"));

/** Where a caller may put an image or a key, rightly or by mistake. */
const places: Readonly<Record<string, (image: string, key: string) => Record<string, unknown>>> = {
  "the person": (text) => ({ person_image_b64: text }),
  "a garment": (text) => ({ garment_images_b64: [text] }),
  "both, out of count": (text) => ({ garment_images_b64: [text, text, text, text] }),
  "a data address": (text) => ({ person_url: `data:image/png;base64,${text}` }),
  "an alias": (text) => ({ items: [`data:image/png;base64,${text}`] }),
  "a field that there is not": (text, token) => ({ image: text, api_key: token }),
  "the prompt": (text, token) => ({ prompt: `${token} data:image/png;base64,${text}` }),
  metadata: (_text, token) => ({ metadata: { a: { [token]: [token] } } }),
  "the webhook's address": (_text, token) => ({ webhook_url: `https://a.example/?k=${token}` }),
};

describe("the journal holds neither keys nor images", () => {
  test.each(Object.entries(places))("sent as %s", async (_name, place) => {
    await fc.assert(
      fc.asyncProperty(image, key, async (text, token) => {
        const { mock, submit, get } = withFaults();
        await mock.createKey({ token });
        await submit(place(text, token), {
          authorization: `Bearer ${token}`,
          "idempotency-key": `for ${token}`,
        });
        await get(`/api/v1/tryon/${token}?api_key=${token}`);
        const held = JSON.stringify(mock.journal.entries());
        expect(mock.journal.entries()).toHaveLength(2);
        expect(held).not.toContain(text.slice(0, 40));
        expect(held).not.toContain(token);
        expect(held).not.toContain(token.slice(9, 21));
        expect(held).toContain(`svc_live_…${token.slice(-4)}`);
      }),
      { numRuns: 20 },
    );
  });

  test("nor does the report of what came instead", async () => {
    const { mock, get } = withFaults();
    const { token } = await mock.createKey();
    await mock.fetch(`${mock.baseUrl}/${token}`, { headers: { authorization: `Bearer ${token}` } });
    await mock.fetch(mock.baseUrl, { headers: { authorization: "Basic c2VjcmV0OnNlY3JldA==" } });
    await get("/");
    const waiting = mock.journal.waitFor("POST /api/v1/tryon", { timeout: 5 });
    const report = await waiting.catch((error: unknown) => String(error));
    expect(report).toContain(`key svc_live_…${token.slice(-4)}`);
    expect(report).not.toContain(token);
    expect(report).not.toContain("c2VjcmV0");
  });
});
