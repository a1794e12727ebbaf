import { createMock } from "@tryon/mock";
import { expect, it } from "vitest";
import { createReceiver } from "../index.ts";
import type { TryOnCompletedEvent } from "../index.ts";

const person = "https://shop.example/me.jpg";
const garment = "https://shop.example/shirt.png";

it("handles the event of a job that ended, once", async () => {
  const handled: TryOnCompletedEvent[] = [];
  const POST = createReceiver({
    secrets: () => mock.webhookSecret,
    onCompleted: (event) => handled.push(event),
  });
  const mock = createMock({ clock: "manual", sendWebhook: (request) => POST(request) });
  const answer = await mock.fetch(`${mock.baseUrl}/api/v1/tryon`, {
    method: "POST",
    headers: { authorization: `Bearer ${mock.keys.live}`, "content-type": "application/json" },
    body: JSON.stringify({
      person_url: person,
      garment_urls: [garment],
      webhook_url: "https://shop.example/hook",
      wait: false,
    }),
  });
  // The body of a submission is an object with its id.
  const { job_id } = (await answer.json()) as { job_id: string };
  await mock.clock.runAll();
  const [delivery] = await mock.webhooks.deliveries(job_id);
  expect(delivery?.attempts).toMatchObject([{ status: 204 }]);
  const copy = await mock.webhooks.replay(delivery?.id ?? "");
  expect(copy.attempts).toMatchObject([{ status: 204 }]);
  expect(handled).toMatchObject([{ job_id, status: "succeeded" }]);
  mock.close();
});
