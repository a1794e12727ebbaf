// Takes uploads and answers as the services of all clients do. GET tells what came since it was asked last. With `keep` it
// also parses JSON and looks for images in it, which takes time and memory.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

import { imagesIn } from "../client/images-in.ts";

const keep = process.argv[2] === "keep";
let seen = nothing();

function nothing() {
  return { uploads: 0, bytes: 0, declared: true, images: [] as string[] };
}

async function take(request: IncomingMessage): Promise<void> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // A body without an encoding comes as bytes.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (keep) chunks.push(chunk);
  }
  const { "content-length": length, "content-type": type } = request.headers;
  seen.uploads += 1;
  seen.bytes += bytes;
  seen.declared &&= Number(length) === bytes;
  if (keep && type?.startsWith("application/json")) {
    seen.images.push(...imagesIn(JSON.parse(Buffer.concat(chunks).toString("utf8"))));
  }
}

const job = {
  job_id: "job_bench",
  status: "running",
  cost_credits: 8,
  id: "bench",
  urls: { get: "https://shop.example/me.jpg" },
};

const server = createServer((request, response) => {
  const answer = (status: number, body: object): void => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  };
  if (request.method === "GET") {
    answer(200, seen);
    seen = nothing();
    return;
  }
  take(request).then(
    () => answer(200, job),
    (error: unknown) => answer(400, { detail: String(error) }),
  );
});
server.listen(0, "127.0.0.1", () => {
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`);
});
