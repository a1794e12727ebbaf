#!/usr/bin/env bash
# @modelcontextprotocol/sdk 1.32.2: the client refuses the result of a call that was charged, as "invalid params".
#
# Expected: the caller gets the result that the server sent, or an error that names the server's output.
# What happens: the client checks the result against `outputSchema` after the call, with its formats.
# A time without a zone does not match `date-time`. The client throws -32602, the code of invalid parameters, and drops the result.
# The server has done the work and knows of no error.
# Why it matters: an agent reads that its parameters are invalid, changes them, and calls again.
# Each call is another charged try-on, and the job ids are lost.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent @modelcontextprotocol/sdk@1.32.2

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const path = "node_modules/@modelcontextprotocol/sdk/package.json";
console.log(`@modelcontextprotocol/sdk ${JSON.parse(readFileSync(path, "utf8")).version}`);
const properties = { job_id: { type: "string" }, created_at: { type: "string", format: "date-time" } };
const outputSchema = { type: "object", properties };
for (const createdAt of ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00"]) {
  let charges = 0;
  const server = new Server({ name: "try-on", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [{ name: "submit", inputSchema: { type: "object" }, outputSchema }],
  }));
  server.setRequestHandler(CallToolRequestSchema, () => {
    charges += 1;
    const structuredContent = { job_id: `job-${charges}`, created_at: createdAt };
    return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
  });
  const client = new Client({ name: "agent", version: "1" });
  const [clientTransport, serverTransport] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(serverTransport), client.connect(clientTransport)]);
  await client.listTools();
  const result = await client.callTool({ name: "submit", arguments: {} }).then(
    ({ structuredContent }) => structuredContent.job_id,
    (error) => `${ErrorCode[error.code]} (${error.code}): ${error.message}`,
  );
  console.log(`created_at ${createdAt}: ${charges} charge, agent gets ${result}`);
  await client.close();
}
PROGRAM

cat > expected.txt <<'OUTPUT'
@modelcontextprotocol/sdk 1.32.2
created_at 2026-01-31T12:00:00Z: 1 charge, agent gets job-1
created_at 2026-01-31T12:00:00: 1 charge, agent gets InvalidParams (-32602): MCP error -32602: Structured content does not match the tool's output schema: data/created_at must match format "date-time"
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
