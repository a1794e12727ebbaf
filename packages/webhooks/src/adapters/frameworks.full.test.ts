import { createServer, type RequestListener, type Server } from "node:http";
import { json } from "node:stream/consumers";

import { getRequestListener } from "@hono/node-server";
import { Hono, type MiddlewareHandler } from "hono";
import { validator } from "hono/validator";
import { AppFolder, installing } from "@tryon/test-kit/app-folder";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startListening } from "@tryon/test-kit/listen";

import type { ReceiverOptions } from "../index.ts";
import {
  behavesAsReceiver,
  deliverTwice,
  handledOnce,
  observed,
  runLines,
  type Start,
} from "../../test/adapter-behaviour.ts";
import { secret, signedEvent } from "../../test/events.ts";
import { behindGateway, gateways } from "../../test/lambda-gateway.ts";
import { path, send } from "../../test/senders.ts";
import { createReceiver as forExpress } from "./express.ts";
import { createReceiver as forFastify } from "./fastify.ts";
import { createReceiver as forHono } from "./hono.ts";
import { createReceiver as forKoa } from "./koa.ts";
import type { LambdaResult } from "./lambda.ts";

let folder: AppFolder;

beforeAll(async () => {
  folder = await AppFolder.with(
    "app",
    "express@5.3.0",
    "express-4@npm:express@4.22.3",
    "fastify@5.12.8",
    "fastify-raw-body@6.0.1",
    "@fastify/aws-lambda@6.4.1",
    "koa@3.3.0",
    "koa-body@8.0.1",
    "koa-bodyparser@4.4.1",
  );
}, installing);

afterAll(() => folder.remove(), installing);

// The installed packages have no types here. Another test compiles uses of them with their types.
type Handler = (...values: never[]) => unknown;

/** Functions of Express that the tests use. */
interface Express {
  (): RequestListener & Record<"all" | "post" | "use", (...values: unknown[]) => unknown>;
  readonly json: (options?: object) => Handler;
  readonly raw: (options?: object) => Handler;
  readonly text: (options?: object) => Handler;
  readonly urlencoded: (options?: object) => Handler;
}

describe.each(["express", "express-4"])("%s", (release) => {
  type App = ReturnType<Express>;
  const start =
    (build: (app: App, options: ReceiverOptions, express: Express) => unknown): Start =>
    (options) => {
      const express = folder.require(release) as Express;
      const app = express();
      build(app, options, express);
      return startListening(createServer(app));
    };
  const startAfter = (parser: (express: Express) => Handler): Start =>
    start((app, options, express) => {
      app.use(parser(express));
      app.all(path, forExpress(options));
    });

  behavesAsReceiver({
    name: release,
    start: start((app, options) => app.all(path, forExpress(options))),
    readBefore: {
      "express.json()": startAfter((express) => express.json()),
      "express.text()": startAfter((express) => express.text({ type: "*/*" })),
    },
    applyFix: ([post = "", use = "", keep = ""]) =>
      [
        [post, use],
        [keep, post],
      ].map((lines) =>
        start((app, options, express) =>
          runLines(lines, { app, express, options, createReceiver: forExpress }),
        ),
      ),
  });

  it.each<[string, (express: Express) => Handler]>([
    ["express.raw()", (express) => express.raw({ type: "*/*" })],
    ["a parser of another type", (express) => express.urlencoded({ extended: false })],
  ])("accepts events after %s", async (_name, parser) => {
    expect(await deliverTwice(startAfter(parser))).toEqual(handledOnce);
  });

  it("passes no error to the error handler", async () => {
    const passed: unknown[] = [];
    const app = start((server, options) => {
      server.post(path, forExpress(options));
      server.use((error: unknown, _request: unknown, _response: unknown, next: () => void) => {
        passed.push(error);
        next();
      });
    });
    const { port } = await observed(app, { onCompleted: () => Promise.reject(new Error("down")) });
    expect(await send(port, await signedEvent("job_1"))).toMatchObject({ status: 500 });
    expect(passed).toEqual([]);
  });
});

/** Methods of Fastify that the tests use. */
interface FastifyApp {
  readonly server: Server;
  register(plugin: (scope: never) => Promise<void>, options?: object): unknown;
  addHook(name: string, hook: Handler): unknown;
  post(at: string, handler: Handler): unknown;
  ready(): Promise<unknown>;
}

type LambdaFunction = (event: object, context: object) => Promise<LambdaResult>;

const register = (app: FastifyApp, options: ReceiverOptions) =>
  app.register(forFastify(options), { prefix: path });
const hook = async (_request: never, _reply: never, payload: Parameters<typeof json>[0]) => {
  await json(payload);
};

const servedByFastify =
  (build: (app: FastifyApp, options: ReceiverOptions) => unknown): Start =>
  async (options) => {
    const fastify = folder.require("fastify") as (settings: object) => FastifyApp;
    const app = fastify({ bodyLimit: 50, forceCloseConnections: true });
    build(app, options);
    await app.ready();
    return startListening(app.server);
  };

describe("Fastify", () => {
  behavesAsReceiver({
    name: "Fastify",
    start: servedByFastify(register),
    readBefore: {
      "a hook": servedByFastify((app, options) => {
        app.addHook("preParsing", hook);
        register(app, options);
      }),
    },
    applyFix: (lines) => [
      servedByFastify((app, options) =>
        runLines(lines, { app, options, hook, createReceiver: forFastify }),
      ),
    ],
  });

  it("accepts events without a content type, or with one that has no parser", async () => {
    const { port, handled } = await observed(servedByFastify(register));
    for (const type of [{}, { "content-type": "application/vnd.tryon" }]) {
      const { body, headers } = await signedEvent(`job_${handled.length}`);
      const { "content-type": _, ...others } = headers;
      const response = await send(port, { body, headers: { ...others, ...type } });
      expect(response).toMatchObject({ status: 204 });
    }
    expect(handled).toHaveLength(2);
  });

  it("accepts events in an app with fastify-raw-body", async () => {
    const started = servedByFastify((app, options) => {
      app.register(folder.require("fastify-raw-body") as never);
      register(app, options);
    });
    expect(await deliverTwice(started)).toEqual(handledOnce);
  });

  it.each(gateways)("accepts events with @fastify/aws-lambda behind %s", async (gateway) => {
    const lambda = folder.require("@fastify/aws-lambda") as (app: object) => LambdaFunction;
    const started: Start = async (options) => {
      const app = (folder.require("fastify") as () => FastifyApp)();
      const handler = lambda(app);
      register(app, options);
      await app.ready();
      return behindGateway(gateway, (event) => handler({ path, ...event }, {}));
    };
    expect(await deliverTwice(started)).toEqual(handledOnce);
  });

  it("keeps the parsers of the app for its other routes", async () => {
    const bodies: unknown[] = [];
    const app = servedByFastify((fastify, options) => {
      register(fastify, options);
      fastify.post("/orders", async (request: { body: unknown }) => {
        bodies.push(request.body);
        return {};
      });
    });
    const { port } = await observed(app);
    const headers = { "content-type": "application/json" };
    const body = Buffer.from('{"order":1}');
    expect(await send(port, { path: "/orders", headers, body })).toMatchObject({ status: 200 });
    expect(bodies).toEqual([{ order: 1 }]);
  });

  it("names the fix if it is used as a handler", async () => {
    const plugin = forFastify({ secrets: secret, onCompleted: () => {} });
    const { port } = await observed(servedByFastify((app) => app.post(path, plugin)));
    const headers = { "content-type": "application/json" };
    const response = await send(port, { headers, body: Buffer.from("{}") });
    expect(response).toMatchObject({
      status: 500,
      text: expect.stringContaining("app.register(createReceiver(options)"),
    });
  });
});

/** Methods of Koa that the tests use. */
interface KoaApp {
  silent: boolean;
  use(middleware: Handler): unknown;
  callback(): RequestListener;
}

const bodyParser = () => (folder.require("koa-bodyparser") as () => Handler)();
const koaBody = () => (folder.require("koa-body") as { koaBody: () => Handler }).koaBody();

const servedByKoa =
  (build: (app: KoaApp, options: ReceiverOptions) => unknown): Start =>
  (options) => {
    const Koa = folder.require("koa") as new () => KoaApp;
    const app = new Koa();
    // Koa would log each aborted request.
    app.silent = true;
    build(app, options);
    return startListening(createServer(app.callback()));
  };

const koaAfter = (...parsers: ReadonlyArray<() => Handler>): Start =>
  servedByKoa((app, options) => {
    for (const parser of parsers) app.use(parser());
    app.use(forKoa(options));
  });

describe("Koa", () => {
  behavesAsReceiver({
    name: "Koa",
    start: koaAfter(),
    readBefore: { "koa-bodyparser": koaAfter(bodyParser), "koa-body": koaAfter(koaBody) },
    applyFix: (lines) => [
      servedByKoa((app, options) =>
        runLines(lines, { app, options, bodyParser, createReceiver: forKoa }),
      ),
    ],
  });
});

const middleware: MiddlewareHandler = async (context, next) => {
  await context.req.json();
  await next();
};

const servedByHono =
  (build: (app: Hono, options: ReceiverOptions) => unknown): Start =>
  (options) => {
    const app = new Hono();
    build(app, options);
    const listener = getRequestListener(app.fetch);
    return startListening(createServer((...args) => void listener(...args)));
  };

const honoAfter = (...before: readonly MiddlewareHandler[]): Start =>
  servedByHono((app, options) => {
    for (const one of before) app.use(one);
    app.all(path, forHono(options));
  });

describe("Hono", () => {
  behavesAsReceiver({
    name: "Hono",
    start: honoAfter(),
    readBefore: {
      "a middleware": honoAfter(middleware),
      "a validator": honoAfter(validator("json", (value) => value)),
    },
    applyFix: (lines) => [
      servedByHono((app, options) =>
        runLines(lines, { app, options, middleware, createReceiver: forHono }),
      ),
    ],
  });
});
