#!/usr/bin/env bash
# @ai-sdk/mcp 2.0.99 and @langchain/mcp-adapters 1.1.4: the model never gets `structuredContent`, so it lacks the job id.
#
# Expected: the model gets the structured result of a tool, or the adapter reports that it drops it.
# What happens: both adapters give only `content` to the model. Here that is a sentence and an image.
# The rest stays in the tool's output (AI SDK) or in an artifact (LangChain), which the app must read itself.
# The protocol asks servers to repeat the data as text, but does not require it.
# The AI SDK also gives the model a result with `isError: true` as an ordinary result. LangChain throws.
# Why it matters: the agent shows the image, but it cannot find or report the job that was charged.
# For a failed try-on, the model reads "content_blocked" in a result without any sign of an error.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent @ai-sdk/mcp@2.0.99 ai@7.0.173 @langchain/mcp-adapters@1.1.4 @langchain/core@1.4.0 @langchain/langgraph@1.7.3 @modelcontextprotocol/sdk@1.32.2 zod@4.6.7

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";

import { createMCPClient } from "@ai-sdk/mcp";
import { loadMcpTools } from "@langchain/mcp-adapters";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { generateText } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { z } from "zod";

for (const name of ["@ai-sdk/mcp", "ai", "@langchain/mcp-adapters"]) {
  console.log(`${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version}`);
}
async function connect() {
  const server = new McpServer({ name: "try-on", version: "1.0.0" });
  const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
  const outputSchema = { job_id: z.string(), cost_credits: z.number() };
  server.registerTool("try_on", { inputSchema: {}, outputSchema }, () => ({
    content: [{ type: "text", text: "The try-on is ready." }, image],
    structuredContent: { job_id: "job_1", cost_credits: 8 },
  }));
  server.registerTool("fail", { inputSchema: {} }, () => ({ content: [{ type: "text", text: "content_blocked" }], isError: true }));
  const [client, transport] = InMemoryTransport.createLinkedPair();
  await server.connect(transport);
  return client;
}
const describe = (value) => {
  const text = JSON.stringify(value);
  return `${text.includes("iVBOR") ? "image" : "no image"}, ${text.includes("job_1") ? "job id" : "no job id"}`;
};
const mcp = await createMCPClient({ transport: await connect() });
const tools = await mcp.tools();
for (const toolName of ["try_on", "fail"]) {
  const prompts = [];
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const model = new MockLanguageModelV4({
    doGenerate: ({ prompt }) => {
      prompts.push(prompt);
      return prompts.length === 1
        ? { content: [{ type: "tool-call", toolCallId: "1", toolName, input: "{}" }], finishReason: { unified: "tool-calls" }, usage, warnings: [] }
        : { content: [{ type: "text", text: "Done." }], finishReason: { unified: "stop" }, usage, warnings: [] };
    },
  });
  const { steps } = await generateText({ model, tools, prompt: "Try on.", stopWhen: ({ steps: done }) => done.length === 2 });
  const types = steps[0].content.map(({ type }) => type).join(", ");
  const message = prompts[1].at(-1).content[0];
  console.log(`AI SDK, ${toolName}: parts ${types}; the model gets ${toolName === "fail" ? JSON.stringify(message.output) : describe(message)}`);
}
const client = new Client({ name: "agent", version: "1.0.0" });
await client.connect(await connect());
for (const tool of await loadMcpTools("try-on", client)) {
  const result = await tool.invoke({ type: "tool_call", id: "1", name: tool.name, args: {} }).catch((error) => error);
  const text = result instanceof Error ? "an error" : `the model gets ${describe(result.content)}`;
  console.log(`LangChain, ${tool.name}: ${text}`);
}
process.exit();
PROGRAM

cat > expected.txt <<'OUTPUT'
@ai-sdk/mcp 2.0.99
ai 7.0.173
@langchain/mcp-adapters 1.1.4
AI SDK, try_on: parts tool-call, tool-result; the model gets image, no job id
AI SDK, fail: parts tool-call, tool-result; the model gets {"type":"content","value":[{"type":"text","text":"content_blocked"}]}
LangChain, try_on: the model gets image, no job id
LangChain, fail: an error
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
