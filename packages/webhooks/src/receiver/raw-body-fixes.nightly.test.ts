import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { pathToFileURL } from "node:url";

import { AppFolder, installing } from "@tryon/test-kit/app-folder";
import { freePort } from "@tryon/test-kit/free-port";
import { listen } from "@tryon/test-kit/listen";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { secret, signedEvent, unicodeText } from "../../test/events.ts";
import { path, send } from "../../test/senders.ts";
import { createReceiver as forExpress } from "../adapters/express.ts";
import { createReceiver, type ReceiverOptions } from "../index.ts";
import { createReceiver as forNode } from "../node/index.ts";

let folder: AppFolder;

beforeAll(async () => {
  folder = await AppFolder.with(
    "raw-body",
    "@nestjs/common@12.5.1",
    "@nestjs/core@12.5.1",
    "@nestjs/platform-express@12.5.1",
    "@nestjs/platform-fastify@12.5.0",
    "reflect-metadata@0.2.2",
    "rxjs@7.8.2",
    "@hapi/hapi@21.4.10",
    "@adonisjs/core@7.5.2",
    "@adonisjs/bodyparser@11.0.4",
    "elysia@1.4.30",
    "@elysiajs/node@1.4.5",
    "h3@2.0.8",
  );
}, installing);

afterAll(() => folder.remove(), installing);

// The installed packages have no types here.
// oxlint-disable-next-line typescript/no-explicit-any
type Untyped = any;

const load = (name: string): Untyped => folder.require(name);

/** App with a parser that reads bodies, as it is at first, or with the change of the message. Returns its port. */
type Start = (options: ReceiverOptions, isFixed: boolean) => Promise<number>;

const nest =
  (platform: "express" | "fastify"): Start =>
  async (options, isFixed) => {
    load("reflect-metadata");
    const { Controller, Module, Post, Req, Res } = load("@nestjs/common");
    const { NestFactory } = load("@nestjs/core");
    const { ExpressAdapter } = load("@nestjs/platform-express");
    const { FastifyAdapter } = load("@nestjs/platform-fastify");
    const receive = forNode(options);
    const onExpress = forExpress(options);
    class Hooks {
      receive(request: Untyped, response: Untyped) {
        if (platform === "express") return onExpress(request, response);
        const raw = isFixed
          ? Object.assign(request.raw, { rawBody: request.rawBody })
          : request.raw;
        return receive(raw, response.raw);
      }
    }
    const AppModule = class {
      readonly name = "app";
    };
    Req()(Hooks.prototype, "receive", 0);
    Res()(Hooks.prototype, "receive", 1);
    Post()(Hooks.prototype, "receive", Object.getOwnPropertyDescriptor(Hooks.prototype, "receive"));
    Controller(path)(Hooks);
    Module({ controllers: [Hooks] })(AppModule);
    const adapter = platform === "express" ? new ExpressAdapter() : new FastifyAdapter();
    const app = await NestFactory.create(AppModule, adapter, { logger: false, rawBody: isFixed });
    onTestFinished(() => app.close());
    await app.listen(0, "127.0.0.1");
    return app.getHttpServer().address().port;
  };

const hapi: Start = async (options, isFixed) => {
  const server = load("@hapi/hapi").server({ port: 0, host: "127.0.0.1" });
  const receive = forNode(options);
  server.route({
    method: "POST",
    path,
    options: isFixed ? { payload: { parse: false, output: "stream" } } : {},
    handler: async ({ raw }: Untyped, h: Untyped) => {
      await receive(raw.req, raw.res);
      return h.abandon;
    },
  });
  onTestFinished(() => server.stop());
  await server.start();
  return server.info.port;
};

const adonis: Start = async (options, isFixed) => {
  const { AppFactory } = load("@adonisjs/application/factories");
  const { ServerFactory } = load("@adonisjs/http-server/factories");
  const { BodyParserMiddlewareFactory } = load("@adonisjs/bodyparser/factories");
  const app = new AppFactory().create(pathToFileURL(`${folder.folder}/`), () => undefined);
  await app.init();
  const server = new ServerFactory().merge({ app }).create();
  const parser = new BodyParserMiddlewareFactory().create();
  const receive = forNode(options);
  server.use([]);
  server
    .getRouter()
    .post(path, ({ request, response }: Untyped) => {
      if (isFixed) Object.assign(request.request, { rawBody: request.raw() });
      return receive(request.request, response.response);
    })
    .use((context: Untyped, next: Untyped) => parser.handle(context, next));
  await server.boot();
  const handle = (request: IncomingMessage, response: ServerResponse) =>
    server.handle(request, response);
  return portOf(createServer(handle));
};

const elysia: Start = async (options, isFixed) => {
  const { Elysia } = load("elysia");
  const { node } = load("@elysiajs/node");
  const receive = createReceiver(options);
  const handler = ({ request, body }: Untyped) => {
    expect(body === undefined).toBe(isFixed);
    return receive(request);
  };
  const app = new Elysia({ adapter: node() });
  app.post(path, handler, isFixed ? { parse: "none" } : {});
  const port = await freePort();
  await new Promise<void>((resolve) => {
    app.listen({ port, hostname: "127.0.0.1" }, (server: Untyped) => {
      onTestFinished(() => server.stop(true));
      resolve();
    });
  });
  return port;
};

const h3: Start = async (options, isFixed) => {
  const { H3, readBody, toNodeHandler } = load("h3");
  const app = new H3();
  const receive = createReceiver(options);
  app.post(path, async (event: Untyped) => {
    if (!isFixed) await readBody(event);
    return receive(event.req);
  });
  return portOf(createServer(toNodeHandler(app)));
};

async function portOf(server: Server): Promise<number> {
  return Number(new URL(await listen(server)).port);
}

describe.each([
  ["NestJS with Express", nest("express")],
  ["NestJS with Fastify", nest("fastify")],
  ["hapi", hapi],
  ["AdonisJS", adonis],
  ["Elysia", elysia],
  ["h3, Nitro and Nuxt", h3],
] as const)("in %s", (name, start) => {
  it.each([
    ["a body that was parsed is refused with the change", false],
    ["an event is handled after the change", true],
  ])("%s", async (_title, isFixed) => {
    const handled: unknown[] = [];
    const port = await start(
      {
        secrets: secret,
        onError: () => undefined,
        onCompleted: ({ error_message }) => handled.push(error_message),
      },
      isFixed,
    );
    const { status, text } = await send(port, await signedEvent("job_1"));
    expect(status).toBe(isFixed ? 204 : 500);
    expect(handled).toEqual(isFixed ? [unicodeText] : []);
    expect(text.includes(`incomplete. ${name}: `)).toBe(!isFixed);
  });
});
