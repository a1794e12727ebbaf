import { createHmac } from "node:crypto";
import { once } from "node:events";
import { openAsBlob } from "node:fs";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

import { assetPath } from "@tryon/test-kit/repository";
import { TryOn } from "@tryon/client";
import { verify } from "@tryon/webhooks";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";

import { startMock, type MockProcess } from "./mock-process.ts";

const apiKey = "svc_live_mock";
const secret = "whsec_mock";

let mock: MockProcess;

beforeAll(async () => {
  mock = await startMock();
}, 60_000);
afterAll(() => mock.stop());

/** Asks the server without the client, so that the client cannot speak for it. */
async function ask(path: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${mock.baseUrl}${path}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, unknown>;
}

/** A receiver that keeps the first delivery as it came over the wire. */
async function recordDelivery() {
  const { promise, resolve } = Promise.withResolvers<{
    headers: IncomingHttpHeaders;
    body: Buffer;
  }>();
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    response.writeHead(204).end();
    resolve({ headers: request.headers, body });
  };
  const server = createServer((request, response) => {
    void receive(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, delivery: promise, server };
}

/** The mean difference, 0 to 255, between a part of two pictures of the same size. */
async function difference(
  a: Uint8Array | string,
  b: Uint8Array | string,
  part: { left: number; top: number; width: number; height: number },
): Promise<number> {
  const pixels = (picture: Uint8Array | string): Promise<Buffer> =>
    sharp(picture).resize(768, 1_024).removeAlpha().extract(part).raw().toBuffer();
  const [first, second] = await Promise.all([pixels(a), pixels(b)]);
  const sum = first.reduce(
    (total, value, index) => total + Math.abs(value - (second[index] ?? 0)),
    0,
  );
  return sum / first.length;
}

it("takes real files from the client over HTTP through the server to a picture and a verified webhook", async () => {
  const before = await ask("/api/v1/account");
  const receiver = await recordDelivery();
  const tryon = new TryOn({ apiKey, baseUrl: mock.baseUrl });

  const job = await tryon.submit({
    person: await openAsBlob(assetPath("person.jpg")),
    garments: [
      await openAsBlob(assetPath("shirt.png")),
      await openAsBlob(assetPath("jacket.webp")),
    ],
    output_size: "1K",
    seed: 7,
    metadata: { order: "A-17" },
    webhook_url: receiver.url,
  });
  const delivery = await receiver.delivery;
  receiver.server.close();

  // The webhook is signed with the secret over the bytes that came, and about this very job.
  const signature = createHmac("sha256", secret).update(delivery.body).digest("hex");
  expect(delivery.headers["x-service-signature"]).toBe(`sha256=${signature}`);
  const event = await verify({ body: delivery.body, headers: delivery.headers, secrets: secret });
  expect(event).toMatchObject({ event: "tryon.completed", job_id: job.id, status: "succeeded" });

  // The server knows the job and has charged it once.
  const polled = await ask(`/api/v1/tryon/${job.id}`);
  expect(polled).toMatchObject({
    status: "succeeded",
    seed: 7,
    metadata: { order: "A-17" },
    cost_credits: 8,
    result_width: 768,
    result_height: 1_024,
  });
  const after = await ask("/api/v1/account");
  expect(Number(before["credits_remaining"]) - Number(after["credits_remaining"])).toBe(8);

  // The picture that the client gives is the one that the server has, and it shows the very pictures that were sent.
  const result = await job.result();
  const png = await result.image.bytes();
  expect(png.length).toBe(polled["result_bytes"]);
  const direct = await fetch(String(polled["result_url"]));
  expect(Buffer.from(await direct.arrayBuffer()).equals(png)).toBe(true);
  const face = { left: 330, top: 120, width: 110, height: 100 };
  const torso = { left: 320, top: 300, width: 130, height: 150 };
  expect(await difference(png, assetPath("person.jpg"), face)).toBeLessThan(4);
  expect(await difference(png, assetPath("person.jpg"), torso)).toBeGreaterThan(20);
}, 60_000);
