import { afterEach, describe, expect, it, vi } from "vitest";
import { safeVerify, sign, type VerifySettings } from "../index.ts";

const secrets = "whsec_test";
const minute = 60_000;
const stale = { ok: false, code: "stale_event" };

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Verifies a signed body, or a signed event. */
async function outcomeOf(
  content: object | string,
  settings: Partial<VerifySettings> = {},
  headers: Record<string, string> = {},
) {
  const isBody = typeof content === "string" || content instanceof Uint8Array;
  const body = isBody ? content : JSON.stringify(content);
  const signed = { ...headers, "X-Service-Signature": await sign({ body, secret: secrets }) };
  return safeVerify({ body, headers: signed, secrets, ...settings });
}

function endedAgo(milliseconds: number): object {
  const completed_at = new Date(Date.now() - milliseconds).toISOString();
  return { event: "tryon.completed", job_id: "job_1", status: "succeeded", completed_at };
}

it.each(["event", "job_id", "status"])("names the invalid field %s", async (field) => {
  expect(await outcomeOf({ ...endedAgo(0), [field]: 1 })).toMatchObject({
    code: "invalid_event",
    message: expect.stringContaining(`\`${field}\``) as unknown,
  });
});

describe.each(["tryon.completed", "ping"])("with maxAge, an event of the kind %s", (kind) => {
  const old = { ...endedAgo(10 * minute), event: kind };

  it("is rejected by its signed time", async () => {
    expect(await outcomeOf(old, { maxAge: 5 * minute })).toMatchObject(stale);
    expect(await outcomeOf(old, { maxAge: "5m" })).toMatchObject(stale);
    await expect(outcomeOf(old, { maxAge: Number.NaN })).rejects.toThrow("maxAge must be a number");
    expect(await outcomeOf(old, { maxAge: "15m" })).toMatchObject({ ok: true });
    expect(await outcomeOf(old, { maxAge: 15 * minute })).toMatchObject({ ok: true });
    expect(await outcomeOf(old)).toMatchObject({ ok: true });
    const listed = { ...old, completed_at: [new Date().toISOString()] };
    expect(await outcomeOf(listed, { maxAge: 5 * minute })).toMatchObject(stale);
  });
});

describe.each(["Pacific/Kiritimati", "Pacific/Pago_Pago"])("in the time zone %s", (zone) => {
  it.each([
    ["without a time zone", "2026-03-01T12:00:08"],
    ["with a year of six digits", "+002026-03-01T12:00:08"],
    ["with an offset without a colon", "2026-03-01T12:00:08+0000"],
    ["with an offset before its end", "12:00:08 GMT+0530 March 1 2026"],
  ])("reads a time %s as UTC", async (_name, completed_at) => {
    vi.stubEnv("TZ", zone);
    const end = Date.parse("2026-03-01T12:00:08Z");
    const event = { ...endedAgo(0), completed_at };
    expect(await outcomeOf(event, { maxAge: 0, now: () => end })).toMatchObject({ ok: true });
    expect(await outcomeOf(event, { maxAge: 0, now: () => end + 1 })).toMatchObject(stale);
  });
});

it.each(["X-Service-Event", "X-Service-Job-Id"])(
  "names the unsigned header %s that contradicts the event",
  async (name) => {
    expect(await outcomeOf(endedAgo(0), {}, { [name]: "other" })).toMatchObject({
      code: "header_mismatch",
      message: expect.stringContaining(`${name} contradicts`) as unknown,
    });
  },
);

it("keeps no bytes of rejected text for the next event", async () => {
  const cut = Buffer.from('{"event":"ping","text":"€').subarray(0, -1);
  expect(await outcomeOf(cut)).toMatchObject({ code: "invalid_json" });
  const event = { event: "ping", text: "€ again" };
  expect(await outcomeOf(event)).toMatchObject({ event: { data: event } });
  const rest = Buffer.from([0xac, 0x22, 0x7d]);
  expect(await outcomeOf(rest)).toMatchObject({ code: "invalid_json" });
});

it("gives the image of a job that has succeeded by a poll, and stays plain data", async () => {
  const resumed: unknown[] = [];
  const resume = (id: string) => ({
    result: async (options?: { readonly timeout: string }) => {
      resumed.push(id, options);
      return { image: "an image" };
    },
  });
  const outcome = await outcomeOf(endedAgo(0));
  if (!outcome.ok || outcome.event.status !== "succeeded") throw new Error("Not verified.");
  const { image, ...fields } = outcome.event;
  expect(await image({ jobs: { resume } }, { timeout: "5s" })).toBe("an image");
  expect(resumed).toEqual(["job_1", { timeout: "5s" }]);
  expect(JSON.parse(JSON.stringify(outcome.event))).toEqual(fields);
  expect(structuredClone(outcome.event)).toStrictEqual(outcome.event);
});

it("gives a failed job neither a URL nor an image", async () => {
  const failed = { ...endedAgo(0), status: "failed", result_url: "https://results.example/1.png" };
  const outcome = await outcomeOf(failed);
  expect(outcome).toMatchObject({ ok: true, event: { status: "failed", result_url: null } });
  expect(outcome).not.toHaveProperty("event.image");
});
