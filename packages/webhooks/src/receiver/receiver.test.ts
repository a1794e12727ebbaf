import { createMock } from "@tryon/mock";
import { expect, it } from "vitest";
import { createReceiver, type TryOnCompletedEvent } from "../index.ts";
import { submit } from "../../test/end-to-end/submit.ts";

it("handles the event of a job that ended, once", async () => {
  const handled: TryOnCompletedEvent[] = [];
  const POST = createReceiver({
    secrets: () => mock.webhookSecret,
    onCompleted: (event) => handled.push(event),
  });
  const mock = createMock({ clock: "manual", sendWebhook: (request) => POST(request) });
  const job_id = await submit(mock, mock.keys.live, "https://shop.example/hook");
  await mock.clock.runAll();
  const [delivery] = await mock.webhooks.deliveries(job_id);
  expect(delivery?.attempts).toMatchObject([{ status: 204 }]);
  const copy = await mock.webhooks.replay(delivery?.id ?? "");
  expect(copy.attempts).toMatchObject([{ status: 204 }]);
  expect(handled).toMatchObject([{ job_id, status: "succeeded" }]);
  mock.close();
});
