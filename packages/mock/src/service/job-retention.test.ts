import { expect, onTestFinished, test, vi } from "vitest";

import { caller } from "../../test/caller.ts";
import { createMock, type MockOptions } from "../mock.ts";
import { host } from "../system/host.ts";

function open(options: MockOptions) {
  const mock = createMock({ clock: "manual", seed: "retention", ...options });
  onTestFinished(() => mock.close());
  const { submit, poll, list } = caller(mock);
  const run = async (): Promise<string> => {
    const { body } = await submit({ webhook_url: "https://shop.example/" });
    await mock.clock.advance("10s");
    return body.job_id;
  };
  const statusOf = async (id: string) => (await poll(id)).status;
  return { mock, list, run, statusOf };
}

test("an ended job and its webhooks are forgotten after jobRetention, and its charge is not", async () => {
  const { mock, list, run, statusOf } = open({
    jobRetention: "40d",
    sendWebhook: async () => new Response(),
  });
  const first = await run();
  await mock.clock.advance("39d");
  const second = await run();
  expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);
  await mock.clock.advance("1d");
  const third = await run();
  expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200]);
  expect((await list()).body.jobs).toMatchObject([{ job_id: third }, { job_id: second }]);
  const deliveries = await mock.webhooks.deliveries();
  expect(deliveries.map(({ jobId }) => jobId)).toEqual([second, third]);
  const { entries = [] } = (await mock.ledger(mock.keys.live)) ?? {};
  expect(entries.filter(({ jobId }) => jobId === first)).toHaveLength(1);
});

test("all jobs are kept by default", async () => {
  const { mock, run, statusOf } = open({ sendWebhook: async () => new Response() });
  const first = await run();
  await mock.clock.advance("400d");
  await run();
  expect(await statusOf(first)).toBe(200);
});

test("a job is forgotten at the end of a later one if the time of the machine has passed", async () => {
  const mock = createMock({ latency: 0, jobRetention: "30d" });
  onTestFinished(() => mock.close());
  const { submit, poll } = caller(mock);
  const { body: first } = await submit({ wait: true });
  const now = vi.spyOn(host, "now").mockReturnValue(Date.now() + 30 * 86_400_000);
  onTestFinished(() => now.mockRestore());
  expect((await poll(first.job_id)).status).toBe(200);
  await submit({ wait: true });
  expect((await poll(first.job_id)).status).toBe(404);
});
