import { serve } from "@hono/node-server";
import type { ServerType } from "@hono/node-server";
import { Hono } from "hono";
import type { MiddlewareHandler } from "hono";
import { validator } from "hono/validator";
import { expect, it } from "vitest";

import {
  behavesAsReceiver,
  deliverTwice,
  handledOnce,
  linesFrom,
  runLines,
} from "../../test/adapter-behaviour.ts";
import type { Start } from "../../test/adapter-behaviour.ts";
import type { Running } from "../../test/running.ts";
import { path } from "../../test/senders.ts";
import { createReceiver } from "./hono.ts";

function served(app: Hono): Promise<Running> {
  return new Promise((resolve) => {
    const server: ServerType = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, (info) =>
      resolve({
        port: info.port,
        close: () =>
          new Promise((closed) => {
            if ("closeAllConnections" in server) server.closeAllConnections();
            server.close(() => closed());
          }),
      }),
    );
  });
}

const startBehind =
  (...before: readonly MiddlewareHandler[]): Start =>
  (options) => {
    const app = new Hono();
    for (const middleware of before) app.use(middleware);
    app.all(path, createReceiver(options));
    return served(app);
  };

const reads: MiddlewareHandler = async (context, next) => {
  await context.req.json();
  await next();
};

behavesAsReceiver({
  name: "Hono",
  start: startBehind(),
  readBefore: {
    "a middleware": startBehind(reads),
    "a validator": startBehind(validator("json", (value) => value)),
  },
});

it("accepts events after the lines of the message are applied to Hono", async () => {
  const lines = await linesFrom(startBehind(reads));
  const outcome = await deliverTwice((options) => {
    const app = new Hono();
    runLines(lines, { app, options, createReceiver, middleware: reads });
    return served(app);
  });
  expect(outcome).toEqual(handledOnce);
});
