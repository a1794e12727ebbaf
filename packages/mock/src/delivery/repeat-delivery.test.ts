import { describe, expect, test } from "vitest";

import type { MockOptions } from "../mock.ts";
import { signatureOf, withReceiver, type ReceiverResponse } from "../../test/receiver.ts";

const hook = "https://shop.example/hook";

async function delivered(
  options: MockOptions = {},
  answer?: ReceiverResponse,
  prompt: string | null = null,
) {
  const { mock, call, received } = withReceiver(answer, options);
  const { body } = await call.submit({ webhook_url: hook, prompt });
  await mock.clock.advance("1h");
  const [delivery] = await mock.webhooks.deliveries(body.job_id);
  const text = (index: number): string =>
    Buffer.from(received.at(index)?.bytes ?? []).toString("utf8");
  const signature = (index: number): string | null | undefined =>
    received.at(index)?.request.headers.get("x-service-signature");
  const valid = (index: number): boolean =>
    signature(index) === signatureOf(text(index), mock.webhookSecret);
  return { mock, received, jobId: body.job_id, id: delivery?.id ?? "", text, signature, valid };
}

const failAfter =
  (successes: number): ReceiverResponse =>
  (attempt) =>
    new Response(null, { status: attempt <= successes ? 200 : 500 });

describe("a replayed delivery", () => {
  test("is a new delivery with the same bytes and signature", async () => {
    const { mock, jobId, id, text, signature, received } = await delivered();
    const replayed = await mock.webhooks.replay(id);
    expect(replayed).toMatchObject({
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
    expect((await mock.webhooks.deliveries(jobId)).map((one) => one.id)).toEqual([id, replayed.id]);
  });

  test("has the bytes of the last attempt with webhookBody resigned", async () => {
    const { mock, id, text } = await delivered(
      { options: { webhookBody: "resigned" } },
      failAfter(0),
    );
    await mock.webhooks.replay(id);
    expect(text(4)).toBe(text(3));
    expect(text(4)).not.toBe(text(0));
  });

  test("may be replayed again", async () => {
    const { mock, id, received, text } = await delivered();
    const replayed = await mock.webhooks.replay(id);
    expect((await mock.webhooks.replay(replayed.id)).repeats).toBe(replayed.id);
    expect(received.map((_one, index) => text(index))).toEqual([text(0), text(0), text(0)]);
  });
});

describe("a duplicated delivery", () => {
  test("has the same event", async () => {
    const { mock, id, text, signature, valid } = await delivered();
    expect(await mock.webhooks.duplicate(id)).toMatchObject({
      cause: "duplicate",
      repeats: id,
      state: "delivered",
    });
    expect([text(1), signature(1), valid(1)]).toEqual([text(0), signature(0), true]);
  });

  test("is retried like the first", async () => {
    const { mock, id, received } = await delivered({}, failAfter(1));
    const start = mock.clock.now();
    expect(await mock.webhooks.duplicate(id)).toMatchObject({ state: "pending" });
    await mock.clock.advance("1h");
    expect(received.slice(1).map(({ at }) => (at - start) / 1_000)).toEqual([0, 1, 5, 21]);
  });

  test("is signed again with webhookBody resigned", async () => {
    const { mock, id, text, valid } = await delivered({ options: { webhookBody: "resigned" } });
    await mock.webhooks.duplicate(id);
    expect(valid(1)).toBe(true);
    expect(text(1)).not.toBe(text(0));
  });
});

test.each([
  [null, "succeeded", "failed"],
  ["mock:model_rejected", "failed", "succeeded"],
])(
  "a tampered delivery has the opposite status under the old signature (%s)",
  async (prompt, was, says) => {
    const { mock, id, received, signature, valid } = await delivered({}, undefined, prompt);
    const forged = await mock.webhooks.tamper(id);
    expect(forged).toMatchObject({ cause: "tamper", repeats: id });
    expect(received.map(({ body }) => body["status"])).toEqual([was, says]);
    expect(signature(1)).toBe(signature(0));
    expect([valid(0), valid(1)]).toEqual([true, false]);
  },
);

test.each(["replay", "tamper"] as const)("a delivery by %s is not retried", async (how) => {
  const { mock, id, received } = await delivered({}, failAfter(1));
  const attempts = [{ status: 500 }];
  expect(await mock.webhooks[how](id)).toMatchObject({ state: "given-up", attempts });
  await mock.clock.advance("1h");
  expect(received).toHaveLength(2);
});

test("an unknown delivery is rejected with its id", async () => {
  const { mock } = await delivered();
  for (const how of ["replay", "duplicate", "tamper"] as const) {
    await expect(mock.webhooks[how]("dlv_none")).rejects.toThrow(TypeError);
    await expect(mock.webhooks[how]("dlv_none")).rejects.toThrow('"dlv_none"');
  }
});
