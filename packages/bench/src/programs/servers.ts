// Serves one of: the reference server, a constant response on bare node:http, a sink for uploads.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

import { createMock } from "@tryon/mock";
import { serve } from "@tryon/mock/node";

import { benchKey } from "../candidates/fixtures.ts";

const [kind, argument = ""] = process.argv.slice(2);

if (kind === "mock") {
  const mock = createMock({ seed: "bench" });
  await mock.createKey(benchKey);
  const { url } = await serve(mock);
  process.stdout.write(`listening on ${url}\n`);
} else {
  const server = createServer(kind === "sink" ? sink : constant);
  server.listen(0, "127.0.0.1", () => {
    // A server on a port has an address of this type.
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`listening on http://127.0.0.1:${port}\n`);
  });
}

function constant(...[, response]: Parameters<RequestListener>): void {
  const length = Buffer.byteLength(argument);
  response.writeHead(200, { "content-type": "application/json", "content-length": length });
  response.end(argument);
}

/** Answers as the services of all clients do; with `check`, rejects uploads that lack an image. */
function sink(...[request, response]: Parameters<RequestListener>): void {
  const job = {
    job_id: "job_bench",
    status: "running",
    cost_credits: 8,
    id: "bench",
    urls: { get: "https://shop.example/me.jpg" },
  };
  const end = (status: number, body: object): void => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  };
  receive(request).then(
    () => end(200, job),
    (error: unknown) => end(400, { detail: String(error) }),
  );
}

async function receive(request: IncomingMessage): Promise<void> {
  const digests = argument.split(",");
  const isJson = request.headers["content-type"]?.startsWith("application/json");
  const chunks: Buffer[] = [];
  // A request without an encoding has buffers.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (argument !== "" && isJson) chunks.push(chunk);
  }
  if (chunks.length === 0) return;
  // A regular expression over such long strings overflows its stack.
  const strings = Buffer.concat(chunks).toString("latin1").split('"');
  const found = strings
    .filter((text) => text.length > 1_000_000)
    .map((text) => Buffer.from(text.slice(text.indexOf(",") + 1), "base64"))
    .map((image) => createHash("sha256").update(image).digest("hex"));
  const missing = digests.filter((digest) => !found.includes(digest));
  if (missing.length > 0) throw new Error(`${missing.length} images did not arrive.`);
}
