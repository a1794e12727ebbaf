import { expect, it, vi } from "vitest";
import { safeVerify, sign, verify } from "../index.ts";
import type { TryOnEvent, VerifySettings } from "../index.ts";

const secrets = "whsec_test";
const minute = 60_000;

async function received(
  fields: object,
  settings: Partial<VerifySettings> = {},
): Promise<TryOnEvent> {
  const body = JSON.stringify(fields);
  const headers = { "X-Service-Signature": await sign({ body, secret: secrets }) };
  return verify({ body, headers, secrets, ...settings });
}

function endedAgo(milliseconds: number): object {
  const completed_at = new Date(Date.now() - milliseconds).toISOString();
  return { event: "tryon.completed", job_id: "job_1", status: "succeeded", completed_at };
}

it("an event of an unknown kind is passed on, and is never taken for a job that ended", async () => {
  const started = { event: "tryon.started", job_id: "job_1", status: "succeeded", worker: 4 };
  expect(await received(started)).toStrictEqual({
    event: "tryon.started",
    job_id: "job_1",
    status: null,
    data: started,
  });
});

it("of an event that is known, fields that are not known are left out", async () => {
  const sent = { ...endedAgo(0), webhook_secret: "x", constructor: "y" };
  expect(Object.keys(await received(sent))).toStrictEqual([
    "event",
    "job_id",
    "status",
    "result_url",
    "error_code",
    "error_message",
    "duration_ms",
    "completed_at",
  ]);
});

it("a name that means something to JavaScript is a field like any other", async () => {
  const body = '{"event":"ping","__proto__":{"status":"succeeded"}}';
  const headers = { "X-Service-Signature": await sign({ body, secret: secrets }) };
  const event = await verify({ body, headers, secrets });
  expect(event).toMatchObject({ event: "ping", job_id: null, status: null });
  expect(Object.getPrototypeOf(event)).toBe(Object.prototype);
});

it("a number too large for one is no duration", async () => {
  const body = '{"event":"tryon.completed","job_id":"j","status":"failed","duration_ms":1e999}';
  const headers = { "X-Service-Signature": await sign({ body, secret: secrets }) };
  expect(await verify({ body, headers, secrets })).toMatchObject({ duration_ms: null });
});

it("an old delivery is refused by its signed time where an age is set, and only there", async () => {
  const old = endedAgo(10 * minute);
  const refusal = { code: "stale_event" };
  await expect(received(old, { maxAge: 5 * minute })).rejects.toMatchObject(refusal);
  await expect(received(old, { maxAge: Number.NaN })).rejects.toMatchObject(refusal);
  expect(await received(old, { maxAge: 15 * minute })).toMatchObject({ job_id: "job_1" });
  expect(await received(old)).toMatchObject({ job_id: "job_1" });
});

it("a time without its zone is UTC, wherever the receiver is", async () => {
  const ended = { ...endedAgo(0), completed_at: "2026-03-01T12:00:08" };
  const end = Date.parse("2026-03-01T12:00:08Z");
  for (const zone of ["Pacific/Kiritimati", "Pacific/Pago_Pago"]) {
    vi.stubEnv("TZ", zone);
    try {
      expect(await received(ended, { maxAge: 0, now: () => end })).toMatchObject({
        job_id: "job_1",
      });
      const later = received(ended, { maxAge: 0, now: () => end + 1 });
      await expect(later).rejects.toMatchObject({ code: "stale_event" });
    } finally {
      vi.unstubAllEnvs();
    }
  }
});

it("an event of an unknown kind is refused when it is too old or has no time, where an age is set", async () => {
  const ping = { ...endedAgo(10 * minute), event: "ping" };
  const refusal = { code: "stale_event" };
  await expect(received(ping, { maxAge: 5 * minute })).rejects.toMatchObject(refusal);
  expect(await received(ping, { maxAge: 15 * minute })).toMatchObject({ event: "ping" });
  expect(await received(ping)).toMatchObject({ event: "ping" });
  for (const completed_at of [undefined, null, 7, [new Date().toISOString()], { toString: 1 }]) {
    const timeless = received({ event: "ping", completed_at }, { maxAge: 5 * minute });
    await expect(timeless).rejects.toMatchObject(refusal);
  }
});

it("headers that are not signed change nothing in the event", async () => {
  const body = JSON.stringify(endedAgo(0));
  const signature = await sign({ body, secret: secrets });
  const headers = { "X-Service-Signature": signature, "X-Service-Job-Id": "job_2" };
  const outcome = await safeVerify({ body, headers, secrets });
  expect(outcome).toMatchObject({ ok: false, code: "header_mismatch" });
});

it("a text that was refused leaves nothing behind for the next one", async () => {
  const cut = Buffer.from('{"event":"ping","text":"€').subarray(0, -1);
  const refused = { "X-Service-Signature": await sign({ body: cut, secret: secrets }) };
  expect(await safeVerify({ body: cut, headers: refused, secrets })).toMatchObject({
    code: "invalid_json",
  });
  const event = { event: "ping", text: "€ again" };
  expect(await received(event)).toMatchObject({ data: event });
  const rest = Buffer.from([0xac, 0x22, 0x7d]);
  const headers = { "X-Service-Signature": await sign({ body: rest, secret: secrets }) };
  expect(await safeVerify({ body: rest, headers, secrets })).toMatchObject({
    code: "invalid_json",
  });
});
