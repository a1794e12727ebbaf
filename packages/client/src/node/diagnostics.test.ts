import { tracingChannel } from "node:diagnostics_channel";

import { expect, it, onTestFinished } from "vitest";

import { createService, cut, input } from "../../test/service.ts";
import { diagnostics, type RequestMessage } from "./index.ts";

function recorded(): { seen: [string, RequestMessage][] } {
  const seen: [string, RequestMessage][] = [];
  const channel = tracingChannel<unknown, RequestMessage>("tryon:request");
  const note = (name: string) => (message: unknown) => {
    // The channel has only messages of this type.
    seen.push([name, { ...(message as RequestMessage) }]);
  };
  const subscriber = {
    start: note("start"),
    end: () => undefined,
    asyncStart: () => undefined,
    asyncEnd: note("asyncEnd"),
    error: note("error"),
  };
  channel.subscribe(subscriber);
  onTestFinished(() => channel.unsubscribe(subscriber));
  return { seen };
}

it("publishes the start and the end of each attempt", async () => {
  const { seen } = recorded();
  const { run, client, mock, faults } = createService();
  const tryon = client({ middleware: diagnostics({ clock: mock.clock }) });
  faults.push(cut.before, async (_request, pass) => {
    await mock.clock.advance(40);
    return pass();
  });
  await run(tryon.submit(input, { idempotencyKey: "order-17" }));
  const about = {
    method: "POST",
    path: "/api/v1/tryon",
    purpose: "submit",
    idempotencyKey: "order-17",
  };
  expect(seen.map(([name]) => name)).toEqual(["start", "error", "asyncEnd", "start", "asyncEnd"]);
  expect(seen[0]?.[1]).toEqual({ ...about, attempt: 1 });
  expect(seen[1]?.[1]).toMatchObject({ ...about, attempt: 1, error: { message: "fetch failed" } });
  expect(seen[4]?.[1]).toMatchObject({ ...about, attempt: 2, status: 200 });
  expect(seen[4]?.[1].duration).toBeGreaterThanOrEqual(40);
  expect(JSON.stringify(seen)).not.toContain(mock.keys.live);
  expect(JSON.stringify(seen)).not.toContain("shop.example");
});

it("uses the machine's clock by default", async () => {
  const { seen } = recorded();
  const { run, client } = createService();
  await run(client({ middleware: [diagnostics()] }).account.get());
  expect(seen.at(-1)?.[1].duration).toBeGreaterThanOrEqual(0);
});
