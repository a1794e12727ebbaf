import { afterEach, expect, it, vi } from "vitest";
import { safeVerify, sign, verify } from "../index.ts";
import type { RawBody, VerifySettings, WebhookHeaders } from "../index.ts";

// What mutation testing found that no other test would notice.

const secrets = "whsec_test";
const good = { event: "tryon.completed", job_id: "job_1", status: "failed" };

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

async function outcomeOf(event: object, settings: Omit<VerifySettings, "secrets"> = {}) {
  const body = JSON.stringify(event);
  const headers = { "X-Service-Signature": await sign({ body, secret: secrets }) };
  return safeVerify({ body, headers, secrets, ...settings });
}

it.each(["event", "job_id", "status"])(
  "a refusal names the field %s that is wrong",
  async (field) => {
    const message = expect.stringContaining(`\`${field}\``) as unknown;
    expect(await outcomeOf({ ...good, [field]: 1 })).toMatchObject({
      code: "invalid_event",
      message,
    });
  },
);

it("sign says what to give it instead of an object", async () => {
  // What programs without types pass.
  const body = { event: "tryon.completed" } as unknown as RawBody;
  await expect(sign({ body, secret: secrets })).rejects.toThrow("JSON.stringify");
});

it("the cause says why the bytes are not there", async () => {
  const headers = { "X-Service-Signature": await sign({ body: "a", secret: secrets }) };
  const used = new Request("https://shop.example", { method: "POST", body: "a" });
  await used.text();
  await expect(verify({ body: used, headers, secrets })).rejects.toMatchObject({
    cause: { message: "The body was read before." },
  });
  const text = {
    headers: {},
    async *[Symbol.asyncIterator]() {
      yield "a";
    },
  };
  await expect(verify({ body: text, headers, secrets })).rejects.toMatchObject({
    cause: expect.any(TypeError) as unknown,
  });
});

it.each([
  ["a year of six digits", "+002026-03-01T12:00:08"],
  ["an offset without its colon", "2026-03-01T12:00:08+0000"],
  ["an offset that is not at its end", "12:00:08 GMT+0530 March 1 2026"],
])("the age of a time with %s is known", async (_what, completed_at) => {
  vi.stubEnv("TZ", "Pacific/Kiritimati");
  const end = Date.parse("2026-03-01T12:00:08Z");
  const event = { ...good, completed_at };
  expect(await outcomeOf(event, { maxAge: 0, now: () => end })).toMatchObject({ ok: true });
  expect(await outcomeOf(event, { maxAge: 0, now: () => end + 1 })).toMatchObject({
    code: "stale_event",
  });
});

/** What comes of a good event with headers that no type allows. */
async function outcomeWith(headersOf: (signature: string) => unknown) {
  const body = JSON.stringify(good);
  const headers = headersOf(await sign({ body, secret: secrets })) as WebhookHeaders;
  return safeVerify({ body, headers, secrets });
}

it("a header whose name is no text hides no other", async () => {
  const outcome = await outcomeWith((signature) => [
    [7, "odd"],
    ["X-Service-Signature", signature],
  ]);
  expect(outcome).toMatchObject({ ok: true });
});

it("a header that is null is none", async () => {
  expect(await outcomeWith(() => ({ "x-service-signature": null }))).toMatchObject({
    code: "missing_signature",
  });
  const outcome = await outcomeWith((signature) => ({
    "x-service-signature": signature,
    "x-service-event": null,
  }));
  expect(outcome).toMatchObject({ ok: true });
});

it.each(["X-Service-Event", "X-Service-Job-Id"])(
  "a refusal names the header %s that contradicts",
  async (name) => {
    const outcome = await outcomeWith((signature) => ({
      "x-service-signature": signature,
      [name]: "other",
    }));
    expect(outcome).toMatchObject({
      code: "header_mismatch",
      message: expect.stringContaining(`${name} contradicts`) as unknown,
    });
  },
);

it("where there is no Web Crypto at all, the error says so, and not what it is no property of", async () => {
  const headers = { "X-Service-Signature": await sign({ body: "a", secret: secrets }) };
  vi.stubGlobal("crypto", undefined);
  await expect(verify({ body: "a", headers, secrets })).rejects.toThrow("crypto.subtle is missing");
});
