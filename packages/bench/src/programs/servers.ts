// Serves one of: the reference server, its account as a constant on bare node:http, a sink for uploads, jobs of 50 ms.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { createMock } from "@tryon/mock";
import { serve } from "@tryon/mock/node";

import { benchKey, jsonHeaders as headers } from "../candidates/fixtures.ts";

/** Response of the sink that the clients of all services accept. */
const job =
  '{ "job_id": "job_1", "status": "running", "id": "1", "urls": { "get": "https://shop.example" } }';
let received = 0;

const mock = createMock({ seed: "bench" });
await mock.createKey(benchKey);
const instant = createMock({ seed: "bench", latency: 0 });
await instant.createKey(benchKey);
const account = await (await mock.fetch(`${mock.baseUrl}/api/v1/account`, { headers })).text();
const [kind] = process.argv.slice(2);
if (kind === "mock") {
  const { url } = await serve(mock);
  process.stdout.write(`listening on ${url}\n`);
} else {
  const submission = JSON.stringify({
    person_url: "https://shop.example/ada.jpg",
    garment_urls: ["https://shop.example/shirt.png"],
    wait: true,
  });
  const made = await instant.fetch(`${instant.baseUrl}/api/v1/tryon`, {
    method: "POST",
    headers,
    body: submission,
  });
  const ended = (await made.json()) as object;
  let jobs = 0;
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    if (kind === "slow" && request.method === "POST") {
      request.resume();
      const text = JSON.stringify({ ...ended, job_id: `job_${(jobs += 1)}` });
      setTimeout(() => response.end(text), 50);
      return;
    }
    if (kind === "slow") {
      response.end(account);
      return;
    }
    request.on("data", (chunk: Buffer) => (received += chunk.length));
    if (kind === "bare") response.end(account);
    else request.on("end", () => response.end(request.method === "GET" ? String(received) : job));
  });
  server.listen(0, "127.0.0.1", () => {
    // A server that listens on a port has an `AddressInfo`.
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`listening on http://127.0.0.1:${port}\n`);
  });
}
