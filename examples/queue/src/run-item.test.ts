import { TryOn } from "@tryon/client";
import { createMock } from "@tryon/mock";
import type { Job } from "bullmq";
import { expect, it, onTestFinished } from "vitest";

import type { QueuedItem } from "./queue.ts";
import { runItem } from "./run-item.ts";

const minute = 60_000;
const input = {
  person: "https://shop.example/me.jpg",
  garments: ["https://shop.example/shirt.png"],
};

it("never pays twice if the last request of an attempt arrives late", async () => {
  const mock = createMock({ clock: "manual", options: { idempotencyHours: 0.5 } });
  onTestFinished(() => mock.close());
  const { baseUrl, clock, fetch, faults, keys } = mock;
  const tryon = new TryOn({ apiKey: keys.live, baseUrl, fetch, clock });
  const data: QueuedItem = { id: "a", input };
  // Only these fields matter to `runItem`.
  const item = { id: "spring/a", data, changePriority: async () => undefined } as unknown as Job;
  const run = () => runItem(tryon, item, async (state) => void Object.assign(data, state));
  await clock.runUntil(run());
  // The first worker crashed before it saved the job.
  Object.assign(data, { job: undefined });
  await clock.advance(20 * minute - (clock.now() - (data.sentAt ?? 0)));
  const on = "POST /api/v1/tryon";
  faults.add({ on, times: 10, status: 429, headers: { "retry-after": "59" } });
  faults.add({ on, latency: "2m" });
  await clock.runUntil(run().catch(() => undefined));
  await clock.advance("5m");
  expect((await mock.ledger(keys.live))?.balance).toBe(992);
});
