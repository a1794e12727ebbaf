import { AppFolder, installing } from "@tryon/test-kit/app-folder";
import { packedPackages } from "@tryon/test-kit/packages";
import { afterAll, beforeAll, expect, it } from "vitest";

let folder: AppFolder;

beforeAll(async () => {
  const packed = await packedPackages();
  folder = await AppFolder.with(
    "app",
    packed.client,
    packed.webhooks,
    "@azure/functions@4.16.5",
    "@fastify/aws-lambda@6.4.1",
    "@hono/node-server@2.1.8",
    "@types/aws-lambda@8.10.164",
    "@types/express@5.0.6",
    "@types/express-4@npm:@types/express@4.17.25",
    "@types/koa@3.0.3",
    "@types/koa-bodyparser@5.0.2",
    "@types/node@24.19.2",
    "@types/react@19.2.18",
    "fastify@5.12.8",
    "hono@4.13.19",
    "next@16.4.6",
    "react@19.3.1",
    "react-dom@19.3.1",
  );
}, installing);

afterAll(() => folder.remove(), installing);

const compilerOptions = {
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  target: "es2022",
  module: "nodenext",
  types: ["node"],
};

/** Uses of every adapter with its framework, and the lines of the messages. */
const uses = `
import { createServer, type IncomingMessage } from "node:http";
import { createServer as createSecureServer } from "node:http2";
import { app as azure } from "@azure/functions";
import type { APIGatewayProxyHandler, APIGatewayProxyHandlerV2, ALBHandler, LambdaFunctionURLHandler } from "aws-lambda";
import express from "express";
import express4 from "express-4";
import Fastify from "fastify";
import { Hono } from "hono";
import Koa from "koa";
import bodyParser from "koa-bodyparser";
import type { NextApiHandler } from "next";
import type { NextRequest } from "next/server.js";
import { createProxy } from "@tryon/client/proxy";
import { createReceiver, verify, type ReceiverOptions } from "@tryon/webhooks";
import { createReceiver as forExpress } from "@tryon/webhooks/express";
import { createReceiver as forFastify } from "@tryon/webhooks/fastify";
import { createReceiver as forHono } from "@tryon/webhooks/hono";
import { createReceiver as forKoa } from "@tryon/webhooks/koa";
import { createReceiver as forLambda } from "@tryon/webhooks/lambda";
import { createPagesReceiver, createReceiver as forNext } from "@tryon/webhooks/next";
import { createReceiver as forNode } from "@tryon/webhooks/node";

declare const options: ReceiverOptions;
const { background: _, ...withoutBackground } = options;

azure.http("webhooks", { methods: ["POST"], authLevel: "anonymous", handler: createReceiver(options) });
azure.http("proxy", { methods: ["GET", "POST"], handler: createProxy({ authorize: () => ({ id: "ada" }) }) });
azure.http("own", { handler: async (request) => {
  await verify({ body: request, headers: request.headers, secrets: "whsec_a" });
  return { status: 204 };
} });
createServer(forNode(options));
createSecureServer(forNode(options));
const keep = (request: IncomingMessage & { rawBody?: Buffer }, bytes: Buffer) => { request.rawBody = bytes; };
keep satisfies unknown;
for (const app of [express(), express()]) {
  app.post("/webhooks/tryon", forExpress(options));
  app.all("/webhooks/tryon", forExpress(options));
  app.use("/webhooks/tryon", forExpress(options));
  app.use(express.json({ verify: (req, res, bytes) => Object.assign(req, { rawBody: bytes }) }));
}
express4().post("/webhooks/tryon", forExpress(options));
express4.Router().post("/", forExpress(options));
Fastify().register(forFastify(options), { prefix: "/webhooks/tryon" });
await Fastify({ logger: true }).register(forFastify(options), { prefix: "/webhooks/tryon" });
// @ts-expect-error The plugin is not a handler.
Fastify().post("/webhooks/tryon", forFastify(options));
new Hono<{ Bindings: { KEY: string } }>().post("/webhooks/tryon", forHono(options));
const receive = forKoa(options);
new Koa().use(receive).use((ctx, next) => (ctx.path === "/webhooks/tryon" ? receive(ctx) : next())).use(bodyParser());
forLambda(withoutBackground) satisfies APIGatewayProxyHandler;
forLambda(withoutBackground) satisfies APIGatewayProxyHandlerV2;
forLambda(withoutBackground) satisfies LambdaFunctionURLHandler;
forLambda(withoutBackground) satisfies ALBHandler;
// @ts-expect-error Lambda stops after the response.
forLambda({ secrets: "a", onCompleted() {}, background: true });
createPagesReceiver(options) satisfies NextApiHandler;
forNext(options) satisfies (request: NextRequest) => Promise<Response>;
`;

it.each(["mts", "cts"])(
  "every adapter has the type that its framework requires, in a .%s",
  async (extension) => {
    const file = `uses.${extension}`;
    await folder.write(file, extension === "cts" ? uses.replace("\nawait ", "\nvoid ") : uses);
    expect(await folder.compile({ compilerOptions, files: [file] })).toBe("");
  },
  installing,
);
