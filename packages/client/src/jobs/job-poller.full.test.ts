import { expect, it } from "vitest";

import { leaveNothing } from "../../test/leave-nothing.ts";
import { createWorld } from "../../test/world.ts";

it("10,000 waits on one signal leave no timer, no listener and no request, however they end", async () => {
  const world = createWorld({ latency: "1h" });
  await leaveNothing(world, 10);
  expect(world.sent.length).toBeLessThan(60);
});
