import { createServer } from "node:http";
import type { RequestListener, Server } from "node:http";
import { json } from "node:stream/consumers";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { ReceiverOptions } from "../index.ts";
import {
  behavesAsReceiver,
  deliverTwice,
  handledOnce,
  linesFrom,
  observed,
  runLines,
} from "../../test/adapter-behaviour.ts";
import type { Start } from "../../test/adapter-behaviour.ts";
import { AppFolder, installing } from "../../test/app-folder.ts";
import { secret, signedEvent } from "../../test/events.ts";
import { listening } from "../../test/running.ts";
import { path, send } from "../../test/senders.ts";
import { createReceiver as forExpress } from "./express.ts";
import { createReceiver as forFastify } from "./fastify.ts";
import { createReceiver as forKoa } from "./koa.ts";

let folder: AppFolder;

beforeAll(async () => {
  folder = await AppFolder.install(
    "express@5.3.0",
    "express-4@npm:express@4.22.3",
    "fastify@5.12.8",
    "koa@3.3.0",
    "koa-body@8.0.1",
    "koa-bodyparser@4.4.1",
  );
}, installing);

afterAll(() => folder.remove(), installing);

type Handler = (...values: never[]) => unknown;

/** Functions of Express that the tests use. */
interface Express {
  (): RequestListener & {
    use(handler: unknown): unknown;
    all(at: string, handler: Handler): unknown;
    post(at: string, handler: Handler): unknown;
  };
  json(options?: object): Handler;
  raw(options?: object): Handler;
  text(options?: object): Handler;
  urlencoded(options?: object): Handler;
}

describe.each(["express", "express-4"])("%s", (release) => {
  // The installed package has no types here. Another test compiles the examples with them.
  const load = () => folder.require(release) as Express;
  const startAfter =
    (parser?: (express: Express) => Handler): Start =>
    (options) => {
      const express = load();
      const app = express();
      if (parser !== undefined) app.use(parser(express));
      app.all(path, forExpress(options));
      return listening(createServer(app));
    };
  const parsed = startAfter((express) => express.json());

  behavesAsReceiver({
    name: release,
    start: startAfter(),
    readBefore: {
      "express.json()": parsed,
      "express.text()": startAfter((express) => express.text({ type: "*/*" })),
    },
  });

  it.each<[string, (express: Express) => Handler]>([
    ["express.raw()", (express) => express.raw({ type: "*/*" })],
    ["a parser of another type", (express) => express.urlencoded({ extended: false })],
  ])("accepts events after %s", async (_name, parser) => {
    expect(await deliverTwice(startAfter(parser))).toEqual(handledOnce);
  });

  it("accepts events after either fix of the message is applied", async () => {
    const [post = "", use = "", keep = ""] = await linesFrom(parsed);
    for (const lines of [
      [post, use],
      [keep, post],
    ]) {
      const outcome = await deliverTwice((options) => {
        const express = load();
        const app = express();
        runLines(lines, { app, express, options, createReceiver: forExpress });
        return listening(createServer(app));
      });
      expect(outcome).toEqual(handledOnce);
    }
  });

  it("passes no error to the error handler", async () => {
    const passed: unknown[] = [];
    const { port } = await observed(
      (options) => {
        const app = load()();
        app.post(path, forExpress(options));
        app.use((error: unknown, _request: unknown, _response: unknown, next: () => void) => {
          passed.push(error);
          next();
        });
        return listening(createServer(app));
      },
      { onCompleted: () => Promise.reject(new Error("down")) },
    );
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
  close(): Promise<unknown>;
}

const servedByFastify = async (build: (app: FastifyApp) => unknown) => {
  const fastify = folder.require("fastify") as (options: object) => FastifyApp;
  const app = fastify({ bodyLimit: 50, forceCloseConnections: true });
  build(app);
  await app.ready();
  return listening(app.server);
};
const registered = (app: FastifyApp, options: ReceiverOptions) =>
  app.register(forFastify(options), { prefix: path });
const parsing = async (_request: never, _reply: never, payload: AsyncIterable<Uint8Array>) => {
  await json(payload as Parameters<typeof json>[0]);
};

const parsedByFastify: Start = (options) =>
  servedByFastify((app) => {
    app.addHook("preParsing", parsing);
    registered(app, options);
  });

describe("Fastify", () => {
  behavesAsReceiver({
    name: "Fastify",
    start: (options) => servedByFastify((app) => registered(app, options)),
    readBefore: { "a hook": parsedByFastify },
  });

  it("accepts events after the lines of the message are applied to Fastify", async () => {
    const lines = await linesFrom(parsedByFastify);
    const outcome = await deliverTwice((options) =>
      servedByFastify((app) =>
        runLines(lines, { app, options, hook: parsing, createReceiver: forFastify }),
      ),
    );
    expect(outcome).toEqual(handledOnce);
  });

  it("accepts events without a content type, or with one that has no parser", async () => {
    const { port, handled } = await observed((options) =>
      servedByFastify((app) => registered(app, options)),
    );
    for (const type of [{}, { "content-type": "application/vnd.tryon" }]) {
      const { body, headers } = await signedEvent(`job_${handled.length}`);
      const { "content-type": _, ...others } = headers;
      const response = await send(port, { body, headers: { ...others, ...type } });
      expect(response).toMatchObject({ status: 204 });
    }
    expect(handled).toHaveLength(2);
  });

  it("keeps the parsers of the app for its other routes", async () => {
    const bodies: unknown[] = [];
    const { port } = await observed((options) =>
      servedByFastify((app) => {
        registered(app, options);
        app.post("/orders", async (request: { body: unknown }) => {
          bodies.push(request.body);
          return {};
        });
      }),
    );
    const headers = { "content-type": "application/json" };
    const body = Buffer.from('{"order":1}');
    expect(await send(port, { path: "/orders", headers, body })).toMatchObject({ status: 200 });
    expect(bodies).toEqual([{ order: 1 }]);
  });

  it("names the fix if it is used as a handler", async () => {
    const plugin = forFastify({ secrets: secret, onCompleted: () => {} });
    const { port } = await observed(() => servedByFastify((app) => app.post(path, plugin)));
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

const servedByKoa = (build: (app: KoaApp) => unknown) => {
  const Koa = folder.require("koa") as new () => KoaApp;
  const app = new Koa();
  // Koa would log each aborted request.
  app.silent = true;
  build(app);
  return listening(createServer(app.callback()));
};
const bodyParser = () => (folder.require("koa-bodyparser") as () => Handler)();
const koaBody = () => (folder.require("koa-body") as { koaBody: () => Handler }).koaBody();

const koaAfter =
  (...parsers: ReadonlyArray<() => Handler>): Start =>
  (options) =>
    servedByKoa((app) => {
      for (const parser of parsers) app.use(parser());
      app.use(forKoa(options));
    });

describe("Koa", () => {
  behavesAsReceiver({
    name: "Koa",
    start: koaAfter(),
    readBefore: {
      "koa-bodyparser": koaAfter(bodyParser),
      "koa-body": koaAfter(koaBody),
    },
  });

  it("accepts events after the lines of the message are applied to Koa", async () => {
    const lines = await linesFrom(koaAfter(bodyParser));
    const outcome = await deliverTwice((options) =>
      servedByKoa((app) => runLines(lines, { app, options, bodyParser, createReceiver: forKoa })),
    );
    expect(outcome).toEqual(handledOnce);
  });
});
