import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

import { afterAll, expect, it, onTestFinished, vi } from "vitest";

import { createReceiver, signedRequest } from "../index.ts";
import { createReceiver as forExpress } from "../adapters/express.ts";
import { createReceiver as forNode } from "../node/index.ts";

const folder = mkdtempSync(join(tmpdir(), "tryon-frameworks-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Calls a handler from a module of a package, as its framework does. */
async function callFrom(name: string, handler: () => unknown): Promise<void> {
  const file = join(folder, "node_modules", name, "router.mjs");
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, "export const call = async (handler) => await handler();");
  // The module above.
  const { call } = (await import(pathToFileURL(file).href)) as {
    call: (handler: () => unknown) => Promise<void>;
  };
  await call(handler);
}

/** Response of Node as far as a receiver uses it. */
const createResponse = (headersSent: boolean) => ({
  statusCode: 0,
  headersSent,
  setHeader: () => undefined,
  end: () => undefined,
});

/** Creates a request of Node that was read. */
async function readRequest({ headers: fields }: Request, body: string | Buffer) {
  const headers = Object.fromEntries(fields);
  const request = Object.assign(new IncomingMessage(new Socket()), { method: "POST", headers });
  request.push(body);
  request.push(null);
  await buffer(request);
  return request;
}

/** Returns the message of a receiver that gets a request whose body was read. */
async function messageFor(name: string, type: "express" | "node" | "request", fields: object) {
  const errors: Error[] = [];
  const options = {
    secrets: "whsec_test",
    onCompleted: () => undefined,
    onError: (error: Error) => errors.push(error),
  };
  const signed = await signedRequest({ job_id: "job_1" }, { secret: options.secrets });
  if (type === "request") {
    await signed.text();
    Object.defineProperties(signed, Object.getOwnPropertyDescriptors(fields));
    await callFrom(name, () => createReceiver(options)(signed));
  } else {
    const request = Object.assign(await readRequest(signed, await signed.text()), fields);
    const create = type === "express" ? forExpress : forNode;
    await callFrom(name, () => create(options)(request, createResponse(true)));
  }
  return errors[0]?.message.replace(
    "The body is not bytes: it was parsed, read before or incomplete. ",
    "",
  );
}

/** Field of its request once it has parsed the body. */
const elysiaInNode = {
  get bodyUsed(): never {
    throw new TypeError("The body was parsed.");
  },
};

it.each([
  ["NestJS with Express", "@nestjs/core", "express", { baseUrl: "" }, "{ rawBody: true }"],
  ["NestJS with Fastify", "@nestjs/core", "node", {}, "rawBody: request.rawBody"],
  ["hapi", "@hapi/hapi", "node", {}, 'output: "stream"'],
  ["AdonisJS", "@adonisjs/http-server", "node", {}, "request.raw()"],
  ["Elysia", "elysia", "request", elysiaInNode, 'parse: "none"'],
  ["h3, Nitro and Nuxt", "srvx", "request", { runtime: { name: "node" } }, "event.req"],
  ["Express", "router", "express", { baseUrl: "" }, "express.json()"],
  ["node:http", "polka", "node", {}, "createServer(createReceiver(options))"],
  ["Request", "@sveltejs/kit", "request", {}, "request.clone()"],
] as const)(
  "names %s if the body was read, and what to change",
  async (name, from, type, fields, line) => {
    const message = await messageFor(from, type, fields);
    expect(message).toMatch(new RegExp(`^${name}: `));
    expect(message).toContain(line);
  },
);

it("reads no call stack for a request whose bytes the framework has kept", async () => {
  const read = vi.fn<() => string>(() => "");
  onTestFinished(() => void Reflect.deleteProperty(Error, "prepareStackTrace"));
  Error.prepareStackTrace = read;
  const signed = await signedRequest({ job_id: "job_1" }, { secret: "whsec_test" });
  const body = Buffer.from(await signed.text());
  const request = await readRequest(signed, body);
  const response = createResponse(false);
  const receiver = forExpress({ secrets: "whsec_test", onCompleted: () => undefined });
  await receiver(Object.assign(request, { body }), response);
  expect(response.statusCode).toBe(204);
  expect(read).not.toHaveBeenCalled();
});
