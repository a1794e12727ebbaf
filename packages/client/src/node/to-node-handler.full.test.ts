import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";

import { expect, it } from "vitest";

import { listen } from "../../test/http-server.ts";
import { toNodeHandler } from "./index.ts";

it("closes the connection within seconds if the client stops sending after an early response", async () => {
  const handler = toNodeHandler(async () => new Response("no", { status: 401 }));
  const { port, hostname, host } = new URL(await listen(createServer(handler)));
  const socket = connect(Number(port), hostname).setEncoding("latin1");
  socket.write(`POST / HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 1000000\r\n\r\n{`);
  const [response] = (await once(socket, "data")) as [string];
  expect(response).toMatch(/^HTTP\/1.1 401 [^]*connection: close\r\n[^]*\r\n\r\nno$/i);
  // Node itself closes it after 5 minutes, which exceeds the timeout of the test.
  await once(socket, "close");
});
