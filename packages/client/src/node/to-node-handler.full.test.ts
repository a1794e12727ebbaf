import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";

import { expect, it } from "vitest";

import { listening } from "../testing/http-server.ts";
import { toNodeHandler } from "./index.ts";

it("closes the connection of a request that stops after its response, within seconds", async () => {
  const handler = toNodeHandler(async () => new Response("no", { status: 401 }));
  const { port, hostname, host } = new URL(await listening(createServer(handler)));
  const socket = connect(Number(port), hostname).setEncoding("latin1");
  socket.write(`POST / HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 1000000\r\n\r\n{`);
  const [answer] = (await once(socket, "data")) as [string];
  expect(answer).toMatch(/^HTTP\/1.1 401 [^]*connection: close\r\n[^]*\r\n\r\nno$/i);
  // Node would wait for 5 minutes, longer than the test may take.
  await once(socket, "close");
});
