import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const place = (path) => fileURLToPath(new URL(path, import.meta.url));

export function createCalls(baseUrl, apiKey) {
  const client = new Client({ name: "check", version: "1.0.0" });
  const script = place("node_modules/@ivotoby/openapi-mcp-server/bin/mcp-server.js");
  const options = [
    "--api-base-url",
    baseUrl,
    "--openapi-spec",
    place("openapi.json"),
    "--tools",
    "all",
  ];
  const headers = ["--headers", `Authorization:Bearer ${apiKey}`];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [script, ...options, ...headers],
    stderr: "ignore",
  });
  const connected = client.connect(transport);
  return {
    async submit(key) {
      await connected;
      const { tools } = await client.listTools();
      const tool = tools.find(
        ({ inputSchema }) => "garment_urls" in (inputSchema.properties ?? {}),
      );
      const input = {
        person_url: "https://shop.example/ada.jpg",
        garment_urls: ["https://shop.example/shirt.png"],
        size: "4K",
        mode: "async",
        metadata: { sku: "LS-204" },
        "Idempotency-Key": key,
      };
      const { content } = await client.callTool({ name: tool.name, arguments: input });
      return JSON.parse(content[0].text);
    },
    close: () => client.close(),
  };
}
