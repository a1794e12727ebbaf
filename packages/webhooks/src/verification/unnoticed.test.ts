import { afterEach, expect, it, vi } from "vitest";
import { safeVerify, sign, verify } from "../index.ts";
import type { RawBody, VerifySettings } from "../index.ts";

// What mutation testing found that no other test would notice.

const secrets = "whsec_test";
const good = { event: "tryon.completed", job_id: "job_1", status: "failed" };

afterEach(() => vi.unstubAllEnvs());

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
    cause: { message: "It was read before." },
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
])("the age of a time with %s is known", async (_what, completed_at) => {
  vi.stubEnv("TZ", "Pacific/Kiritimati");
  const end = Date.parse("2026-03-01T12:00:08Z");
  const event = { ...good, completed_at };
  expect(await outcomeOf(event, { maxAge: 0, now: () => end })).toMatchObject({ ok: true });
  expect(await outcomeOf(event, { maxAge: 0, now: () => end + 1 })).toMatchObject({
    code: "stale_event",
  });
});
