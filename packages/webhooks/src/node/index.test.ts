import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, createServer as createSecondServer, type IncomingHttpHeaders } from "node:http2";
import { buffer, json } from "node:stream/consumers";

import { expect, it } from "vitest";
import { startListening } from "@tryon/test-kit/listen";

import { behavesAsReceiver, observed, runLines, type Start } from "../../test/adapter-behaviour.ts";
import { secret, signedEvent } from "../../test/events.ts";
import { path, send } from "../../test/senders.ts";
import { createReceiver } from "./index.ts";

/** Creates an app with other code before the receiver. */
const startBehind =
  (first: (request: IncomingMessage, response: ServerResponse) => Promise<unknown>): Start =>
  (options) => {
    const receive = createReceiver(options);
    return startListening(
      createServer((request, response) => {
        void first(request, response).then(() => receive(request, response));
      }),
    );
  };

behavesAsReceiver({
  name: "node:http",
  start: startBehind(async () => {}),
  readBefore: {
    "JSON.parse": startBehind((request) => json(request)),
    "a listener that decodes": startBehind(async (request) => request.setEncoding("utf8")),
  },
  applyFix: ([instead = "", rawBody = ""]) => [
    (options) => {
      let server = createServer();
      const keep = (made: typeof server) => {
        server = made;
      };
      runLines([`keep(${instead});`], { keep, createServer, createReceiver, options });
      return startListening(server);
    },
    startBehind(async (request) => {
      runLines([rawBody], { request, bytes: await buffer(request) });
    }),
  ],
});

it("does not change a response that other code has sent", async () => {
  let late: ServerResponse | undefined;
  const keepsResponse = startBehind(async (_request, response) => {
    late = response;
  });
  const { port, errors } = await observed(keepsResponse, {
    onCompleted: () => late?.writeHead(418).end("late"),
  });
  const response = await send(port, await signedEvent("job_1"));
  expect(response).toMatchObject({ status: 418, text: "late" });
  expect(await send(port, await signedEvent("job_1"))).toMatchObject({ status: 204 });
  expect(errors).toEqual([]);
});

it("receives over HTTP/2, where a body that is too large ends only its stream", async () => {
  const receive = createReceiver({ secrets: secret, onCompleted: () => {}, onError: () => {} });
  const server = createSecondServer((request, response) => void receive(request, response));
  const { port } = await startListening(server);
  const client = connect(`http://127.0.0.1:${port}`);
  const { headers, body } = await signedEvent("job_1");
  const post = async (bytes: Buffer) => {
    const stream = client.request({ ":method": "POST", ":path": path, ...headers });
    stream.on("error", () => {});
    const responded = once(stream, "response") as Promise<[IncomingHttpHeaders]>;
    stream.end(bytes);
    const [response] = await responded;
    stream.close();
    return response;
  };
  const refused = await post(Buffer.alloc(2_000_000));
  expect(refused).toMatchObject({ ":status": 413 });
  expect(refused).not.toHaveProperty("connection");
  expect(await post(body)).toMatchObject({ ":status": 204 });
  client.destroy();
  await new Promise((closed) => server.close(closed));
});
