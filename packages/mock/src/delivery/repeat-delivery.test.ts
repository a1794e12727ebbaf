import { createHmac } from "node:crypto";

import { describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import { caller } from "../../test/caller.ts";
import { receiver, type ReceiverAnswer } from "../../test/receiver.ts";

const hook = "https://shop.example/hook";

async function delivered(
  options: Parameters<typeof createMock>[0] = {},
  answer?: ReceiverAnswer,
  prompt: string | null = null,
) {
  const { received, watch, send } = receiver(answer);
  const mock = createMock({ clock: "manual", seed: "again", sendWebhook: send, ...options });
  watch(mock.clock);
  const { body } = await caller(mock).submit({ webhook_url: hook, prompt });
  await mock.clock.advance("1h");
  const [delivery] = await mock.webhooks.deliveries(body.job_id);
  const text = (index: number): string =>
    Buffer.from(received.at(index)?.bytes ?? []).toString("utf8");
  const signature = (index: number): string | null | undefined =>
    received.at(index)?.request.headers.get("x-service-signature");
  const valid = (index: number): boolean =>
    signature(index) ===
    `sha256=${createHmac("sha256", mock.webhookSecret).update(text(index)).digest("hex")}`;
  return { mock, received, jobId: body.job_id, id: delivery?.id ?? "", text, signature, valid };
}

const noAfter =
  (good: number): ReceiverAnswer =>
  (attempt) =>
    new Response(null, { status: attempt <= good ? 200 : 500 });

describe("a delivery that is replayed", () => {
  test("is sent once more with the same bytes and signature, as a delivery of its own", async () => {
    const { mock, jobId, id, text, signature, received } = await delivered();
    const again = await mock.webhooks.replay(id);
    expect(again).toMatchObject({
      jobId,
      url: hook,
      cause: "replay",
      repeats: id,
      state: "delivered",
      attempts: [{ status: 204, at: mock.clock.now() }],
    });
    expect(received).toHaveLength(2);
    expect([text(1), signature(1)]).toEqual([text(0), signature(0)]);
    expect(received[1]?.request.headers.get("x-service-job-id")).toBe(jobId);
    expect((await mock.webhooks.deliveries(jobId)).map((one) => one.id)).toEqual([id, again.id]);
  });

  test("is not retried", async () => {
    const { mock, id, received } = await delivered({}, noAfter(1));
    expect(await mock.webhooks.replay(id)).toMatchObject({ state: "given-up" });
    await mock.clock.advance("1h");
    expect(received).toHaveLength(2);
  });

  test("has the bytes that were sent last where each attempt is signed anew", async () => {
    const { mock, id, text } = await delivered(
      { options: { webhookBody: "resigned" } },
      noAfter(0),
    );
    await mock.webhooks.replay(id);
    expect(text(4)).toBe(text(3));
    expect(text(4)).not.toBe(text(0));
  });

  test("may itself be replayed", async () => {
    const { mock, id, received, text } = await delivered();
    const again = await mock.webhooks.replay(id);
    expect((await mock.webhooks.replay(again.id)).repeats).toBe(again.id);
    expect(received.map((_one, index) => text(index))).toEqual([text(0), text(0), text(0)]);
  });
});

describe("a delivery that is duplicated", () => {
  test("tells the same event a second time", async () => {
    const { mock, id, text, signature, valid } = await delivered();
    expect(await mock.webhooks.duplicate(id)).toMatchObject({
      cause: "duplicate",
      repeats: id,
      state: "delivered",
    });
    expect([text(1), signature(1), valid(1)]).toEqual([text(0), signature(0), true]);
  });

  test("is retried as the first one is", async () => {
    const { mock, id, received } = await delivered({}, noAfter(1));
    const start = mock.clock.now();
    expect(await mock.webhooks.duplicate(id)).toMatchObject({ state: "pending" });
    await mock.clock.advance("1h");
    expect(received.slice(1).map(({ at }) => (at - start) / 1_000)).toEqual([0, 1, 5, 21]);
  });

  test("is signed anew where the server does so", async () => {
    const { mock, id, text, valid } = await delivered({ options: { webhookBody: "resigned" } });
    await mock.webhooks.duplicate(id);
    expect(valid(1)).toBe(true);
    expect(text(1)).not.toBe(text(0));
  });
});

describe("a delivery that is tampered with", () => {
  test.each([
    [null, "succeeded", "failed"],
    ["mock:model_rejected", "failed", "succeeded"],
  ])("says the contrary under the old signature (%s)", async (prompt, was, says) => {
    const { mock, id, received, signature, valid } = await delivered({}, undefined, prompt);
    const forged = await mock.webhooks.tamper(id);
    expect(forged).toMatchObject({ cause: "tamper", repeats: id });
    expect(received.map(({ body }) => body["status"])).toEqual([was, says]);
    expect(signature(1)).toBe(signature(0));
    expect([valid(0), valid(1)]).toEqual([true, false]);
  });

  test("is not retried when the receiver refuses it", async () => {
    const { mock, id, received } = await delivered({}, noAfter(1));
    expect(await mock.webhooks.tamper(id)).toMatchObject({
      state: "given-up",
      attempts: [{ status: 500 }],
    });
    await mock.clock.advance("1h");
    expect(received).toHaveLength(2);
  });
});

test("a delivery that there is none of is named", async () => {
  const { mock } = await delivered();
  for (const how of ["replay", "duplicate", "tamper"] as const) {
    await expect(mock.webhooks[how]("dlv_none")).rejects.toThrow(RangeError);
    await expect(mock.webhooks[how]("dlv_none")).rejects.toThrow('"dlv_none"');
  }
});
