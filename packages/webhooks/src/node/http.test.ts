import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer, json } from "node:stream/consumers";

import { expect, it } from "vitest";

import {
  behavesAsReceiver,
  deliverTwice,
  handledOnce,
  linesFrom,
  observed,
  runLines,
} from "../testing/adapter-behaviour.ts";
import type { Start } from "../testing/adapter-behaviour.ts";
import { signedEvent } from "../testing/events.ts";
import { listening } from "../testing/running.ts";
import { send } from "../testing/senders.ts";
import { createReceiver } from "./index.ts";

/** An app that does something with a request before the receiver has it. */
const startBehind =
  (first: (request: IncomingMessage, response: ServerResponse) => Promise<unknown>): Start =>
  (options) => {
    const receive = createReceiver(options);
    return listening(
      createServer((request, response) => {
        void first(request, response).then(() => receive(request, response));
      }),
    );
  };

const parsed = startBehind((request) => json(request));

behavesAsReceiver({
  name: "node:http",
  start: startBehind(async () => {}),
  readBefore: {
    "JSON.parse": parsed,
    "a listener that decodes": startBehind(async (request) => request.setEncoding("utf8")),
  },
});

it("takes events when the lines of the message are applied to node:http", async () => {
  const [instead = "", rawBody = ""] = await linesFrom(parsed);
  const first = await deliverTwice((options) => {
    let server = createServer();
    const keep = (made: typeof server) => {
      server = made;
    };
    runLines([`keep(${instead});`], { keep, createServer, createReceiver, options });
    return listening(server);
  });
  expect(first).toEqual(handledOnce);
  const keeps = startBehind(async (request) => {
    runLines([rawBody], { request, bytes: await buffer(request) });
  });
  expect(await deliverTwice(keeps)).toEqual(handledOnce);
});

it("leaves an answer alone that something else has given meanwhile", async () => {
  let late: ServerResponse | undefined;
  const remembers = startBehind(async (_request, response) => {
    late = response;
  });
  const { port, errors } = await observed(remembers, {
    onCompleted: () => late?.writeHead(418).end("late"),
  });
  const answer = await send(port, await signedEvent("job_1"));
  expect(answer).toMatchObject({ status: 418, text: "late" });
  expect(await send(port, await signedEvent("job_1"))).toMatchObject({ status: 204 });
  expect(errors).toEqual([]);
});
