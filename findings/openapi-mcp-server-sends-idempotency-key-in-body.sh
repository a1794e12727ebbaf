#!/usr/bin/env bash
# @ivotoby/openapi-mcp-server 1.16.1: a body with `anyOf` moves the header Idempotency-Key into the JSON body.
#
# Expected: a header parameter of the contract is sent as a header, whatever the schema of the body is.
# What happens: with `anyOf` in the body, the tool's schema is an `allOf`.
# The server no longer finds the headers in it.
# It sends the key as a field of the body. A service that ignores unknown fields answers 200.
# The tool's schema has no `type: "object"`, so the official MCP client refuses the whole list of tools.
# Why it matters: agents repeat calls after timeouts. Each repeat is a new, charged try-on, although the agent passed a key.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent @ivotoby/openapi-mcp-server@1.16.1

cat > check.mjs <<'PROGRAM'
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const folder = "node_modules/@ivotoby/openapi-mcp-server";
console.log(`@ivotoby/openapi-mcp-server ${JSON.parse(readFileSync(`${folder}/package.json`, "utf8")).version}`);
let received;
const service = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  received = { header: request.headers["idempotency-key"] ?? "missing", body: Buffer.concat(chunks).toString() };
  response.writeHead(200, { "content-type": "application/json" }).end('{"job_id":"job-1"}');
}).listen(0, "127.0.0.1");
await once(service, "listening");
const properties = { person_url: { type: "string" }, person_image_b64: { type: "string" } };
for (const [title, condition] of [
  ["without anyOf", {}],
  ["with anyOf", { anyOf: [{ required: ["person_url"] }, { required: ["person_image_b64"] }] }],
]) {
  const schema = { type: "object", properties, ...condition };
  const document = {
    openapi: "3.1.0",
    info: { title: "Try-on", version: "1" },
    paths: {
      "/tryon": {
        post: {
          operationId: "submit",
          parameters: [{ name: "Idempotency-Key", in: "header", schema: { type: "string" } }],
          requestBody: { required: true, content: { "application/json": { schema } } },
          responses: { 200: { description: "Job" } },
        },
      },
    },
  };
  writeFileSync("openapi.json", JSON.stringify(document));
  const url = `http://127.0.0.1:${service.address().port}`;
  const options = ["--api-base-url", url, "--openapi-spec", "openapi.json", "--tools", "all"];
  const server = spawn(process.execPath, [`${folder}/bin/mcp-server.js`, ...options], { stdio: ["pipe", "pipe", "ignore"] });
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const call = async (id, method, params) => {
    send({ id, method, params });
    for (;;) {
      const { value } = await lines.next();
      const message = value.startsWith("{") ? JSON.parse(value) : {};
      if (message.id === id) return message.result;
    }
  };
  const clientInfo = { name: "check", version: "1" };
  await call(1, "initialize", { protocolVersion: "2025-03-26", capabilities: {}, clientInfo });
  send({ method: "notifications/initialized" });
  const [tool] = (await call(2, "tools/list", {})).tools;
  const input = { person_url: "https://shop.example/me.jpg", "Idempotency-Key": "k1" };
  await call(3, "tools/call", { name: tool.name, arguments: input });
  console.log(`${title}: type of the tool's schema ${tool.inputSchema.type ?? "missing"}`);
  console.log(`  header ${received.header}, body ${received.body}`);
  server.kill();
  await once(server, "exit");
}
service.close();
service.closeAllConnections();
PROGRAM

cat > expected.txt <<'OUTPUT'
@ivotoby/openapi-mcp-server 1.16.1
without anyOf: type of the tool's schema object
  header k1, body {"person_url":"https://shop.example/me.jpg"}
with anyOf: type of the tool's schema missing
  header missing, body {"person_url":"https://shop.example/me.jpg","Idempotency-Key":"k1"}
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
