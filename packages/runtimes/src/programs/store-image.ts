import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";

import { TryOn } from "@tryon/client";
import { storeImage } from "@tryon/client/node";
import { images, type ProgramContext } from "./program-context.ts";

/** Stores an image with a PUT, which fails once, and in a stream of Node and of the web. */
export async function run({ baseUrl, apiKey }: ProgramContext): Promise<unknown> {
  const tryon = new TryOn({ apiKey, baseUrl });
  const { image } = await tryon.run(images);
  const digest = createHash("sha256")
    .update(await image.bytes())
    .digest("hex");
  const stored: string[] = [];
  let requests = 0;
  const server = createServer((request, response) => {
    const hash = createHash("sha256");
    request.on("data", (chunk: Buffer) => hash.update(chunk));
    request.on("end", () => {
      requests += 1;
      stored.push(`${request.method} ${hash.digest("hex")}`);
      response.writeHead(requests === 1 ? 503 : 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const { sha256 } = await storeImage(image, `http://127.0.0.1:${port}/look.png`);
  server.close();
  const stream = new PassThrough();
  const streamed = createHash("sha256");
  stream.on("data", (chunk: Buffer) => streamed.update(chunk));
  await storeImage(image, stream);
  const web = createHash("sha256");
  const writable = new WritableStream<Uint8Array>({ write: (chunk) => void web.update(chunk) });
  await storeImage(image, writable);
  return [
    sha256 === digest,
    stored.every((one) => one === `PUT ${digest}`) && stored.length,
    streamed.digest("hex") === digest,
    web.digest("hex") === digest,
  ];
}
