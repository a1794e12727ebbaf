import { once } from "node:events";
import { createServer } from "node:net";

import { expect, it, onTestFinished } from "vitest";

import { freePort } from "./free-port.ts";

it("returns a port that can be listened on, outside the ephemeral range", async () => {
  const port = await freePort();
  expect(port).toBeGreaterThanOrEqual(20_000);
  expect(port).toBeLessThan(32_000);
  const server = createServer().listen(port, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
});
