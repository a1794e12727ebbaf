import { createHmac } from "node:crypto";
import { once } from "node:events";
import { openAsBlob } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

import { TryOn } from "@tryon/client";
import { createMock } from "@tryon/mock";
import { compositeEngine, serve } from "@tryon/mock/node";
import { assetPath } from "@tryon/test-kit/repository";
import { verify } from "@tryon/webhooks";
import sharp, { type Region } from "sharp";
import { expect, it, onTestFinished } from "vitest";

/** Returns the mean difference, 0 to 255, between an area of two images. */
async function difference(a: Uint8Array, b: string, area: Region): Promise<number> {
  const [first, second] = await Promise.all(
    [a, b].map((image) =>
      sharp(image).resize(768, 1_024).removeAlpha().extract(area).raw().toBuffer(),
    ),
  );
  if (!first || !second) throw new Error("sharp returned no pixels.");
  const differences = first.map((value, index) => Math.abs(value - (second[index] ?? 0)));
  return differences.reduce((sum, value) => sum + value, 0) / first.length;
}

it("turns files into an image over HTTP, charges once and delivers a signed webhook", async () => {
  const mock = createMock({ engine: await compositeEngine() });
  const server = await serve(mock);
  const receiver = createServer().listen(0, "127.0.0.1");
  onTestFinished(async () => {
    await server.close();
    mock.close();
    receiver.close();
  });
  await once(receiver, "listening");
  /** Sends a request without the client, as an independent check of it. */
  const get = async (path: string): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${mock.keys.live}` };
    const response = await fetch(`${server.url}/api/v1/${path}`, { headers });
    expect(response.status).toBe(200);
    // The fields are compared below.
    return (await response.json()) as Record<string, unknown>;
  };
  const before = await get("account");

  const tryon = new TryOn({ apiKey: mock.keys.live, baseUrl: server.url });
  const delivery = once(receiver, "request");
  const job = await tryon.submit({
    person: await openAsBlob(assetPath("person.jpg")),
    garments: [
      await openAsBlob(assetPath("shirt.png")),
      await openAsBlob(assetPath("jacket.webp")),
    ],
    output_size: "1K",
    seed: 7,
    metadata: { order: "A-17" },
    // A TCP server has an `AddressInfo`.
    webhook_url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
  });
  const [request, response] = await delivery;
  const body = await buffer(request);
  response.writeHead(204).end();

  const signature = createHmac("sha256", mock.webhookSecret).update(body).digest("hex");
  expect(request.headers["x-service-signature"]).toBe(`sha256=${signature}`);
  const event = await verify({ body, headers: request.headers, secrets: mock.webhookSecret });
  expect(event).toMatchObject({ event: "tryon.completed", job_id: job.id, status: "succeeded" });

  const polled = await get(`tryon/${job.id}`);
  expect(polled).toMatchObject({
    status: "succeeded",
    seed: 7,
    metadata: { order: "A-17" },
    cost_credits: 8,
    result_width: 768,
    result_height: 1_024,
  });
  const after = await get("account");
  expect(Number(before["credits_remaining"]) - Number(after["credits_remaining"])).toBe(8);

  const png = await (await job.result()).image.bytes();
  expect(png.length).toBe(polled["result_bytes"]);
  const direct = await fetch(String(polled["result_url"]));
  expect(Buffer.from(await direct.arrayBuffer()).equals(png)).toBe(true);
  // The engine draws the garments over the photo, so only the face stays the same.
  const face = { left: 330, top: 120, width: 110, height: 100 };
  const torso = { left: 320, top: 300, width: 130, height: 150 };
  expect(await difference(png, assetPath("person.jpg"), face)).toBeLessThan(4);
  expect(await difference(png, assetPath("person.jpg"), torso)).toBeGreaterThan(20);
});
