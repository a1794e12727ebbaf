import { useMock } from "@tryon/mock/vitest";
import { AppFolder, installing } from "@tryon/test-kit/app-folder";
import { packedPackages } from "@tryon/test-kit/packages";
import { node } from "@tryon/test-kit/repository";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { chargesOf, input, purchasesOf } from "../../test/mcp-session.ts";

const mock = useMock();
const packages = [
  "@ai-sdk/mcp@2.0.99",
  "@langchain/core@1.4.0",
  "@langchain/langgraph@1.7.3",
  "@langchain/mcp-adapters@1.1.4",
  "@modelcontextprotocol/client@2.4.0",
  "@modelcontextprotocol/inspector@2.12.0",
  "@modelcontextprotocol/sdk@1.32.2",
  "zod@4.6.7",
];
const main = "node_modules/@tryon/cli/dist/main.js";

/** Connects a client of an SDK, with options. */
const sdk = (options: string): string => `
  const client = new Client({ name: "test", version: "1" }, ${options});
  await client.connect(new StdioClientTransport({ command, args, env }));
  // The list has the schemas by which the client checks results.
  const tools = (await client.listTools()).tools.map(({ name }) => name);
  const call = async (name, fields) => (await client.callTool({ name, arguments: fields })).structuredContent;
  const close = () => client.close();`;
const current = (mode: string): string => `
  import { Client } from "@modelcontextprotocol/client";
  import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
  ${sdk(`{ versionNegotiation: { mode: ${mode} } }`)}`;
/** Programs that connect to the server of `command`, `args` and `env`, and define `tools`, `call` and `close`. */
const programs: Readonly<Record<string, string>> = {
  "the SDK of the older line": `
    import { Client } from "@modelcontextprotocol/sdk/client/index.js";
    import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
    ${sdk("{}")}`,
  "the SDK of the current line, pinned": current('{ pin: "2026-07-28" }'),
  "the SDK of the current line, which tries a second process": current('"auto"'),
  "@ai-sdk/mcp": `
    import { createMCPClient } from "@ai-sdk/mcp";
    import { Experimental_StdioMCPTransport as Transport } from "@ai-sdk/mcp/mcp-stdio";
    const client = await createMCPClient({ transport: new Transport({ command, args, env }) });
    const set = await client.tools();
    const tools = Object.keys(set);
    const call = async (name, fields) =>
      (await set[name].execute(fields, { toolCallId: "1", messages: [] })).structuredContent;
    const close = () => client.close();`,
  "@langchain/mcp-adapters": `
    import { MultiServerMCPClient } from "@langchain/mcp-adapters";
    const server = { transport: "stdio", command, args, env };
    const client = new MultiServerMCPClient({ mcpServers: { tryon: server } });
    const list = await client.getTools();
    const tools = list.map(({ name }) => name);
    const call = async (name, args) => {
      const tool = list.find((one) => one.name === name);
      const { artifact } = await tool.invoke({ type: "tool_call", id: "1", name, args });
      return artifact.find(({ type }) => type === "mcp_structured_content").data;
    };
    const close = () => client.close();`,
};

let app: AppFolder;
beforeAll(async () => {
  app = await AppFolder.create("mcp-clients");
  const { cli } = await packedPackages();
  await app.install([...packages, cli]);
}, installing);
afterAll(() => app.remove());

/** Returns the environment of a server that may buy. */
const environment = () => ({
  TRYON_BASE_URL: mock.url,
  TRYON_API_KEY: mock.keys.live,
  TRYON_PAYMENT_TOKEN: "spt_one",
});
const argv = ["mcp", "--max-credits", "100", "--max-usd", "2", "--state"];

describe("tryon mcp serves", () => {
  it.each(Object.entries(programs))("%s", async (name, program) => {
    const file = `client${Object.keys(programs).indexOf(name)}.mjs`;
    const start = { command: node, args: [main, ...argv, `${file}.json`], env: environment() };
    await app.write(
      file,
      `const { command, args, env } = ${JSON.stringify(start)};
      ${program}
      const bought = await call("buy_credits", { pack_slug: "demo" });
      const { job_id } = await call("submit", ${JSON.stringify(input)});
      const ended = await call("wait", { job_id });
      await close();
      console.log(JSON.stringify({ tools, bought, ended }));`,
    );
    const output = JSON.parse(await app.run(node, [file])) as unknown;
    const budget = { spent: 8, reserved: 0, left: 92, usd: { spent: 2, left: 0 } };
    expect(output).toMatchObject({
      tools: expect.arrayContaining(["estimate", "submit", "wait", "get", "account"]),
      bought: { status: "succeeded", credits_added: 100 },
      ended: { status: "succeeded", cost_credits: 8, budget },
    });
    expect(await chargesOf(mock)).toEqual([8]);
    expect(await purchasesOf(mock, mock.keys.live)).toEqual([100]);
  });

  it.each(["legacy", "auto", "modern"])("the inspector's command line: %s", async (era) => {
    const inspect = (...args: readonly string[]): Promise<string> => {
      const env = Object.entries(environment()).flatMap(([name, value]) => [
        "-e",
        `${name}=${value}`,
      ]);
      const server = [node, main, ...argv, `${era}.json`];
      const flags = ["--protocol-era", era, "--format", "json", "--quiet"];
      const target = ["--cli", ...flags, ...env, ...server, ...args];
      return app.run(app.path("node_modules/.bin/mcp-inspector"), target);
    };
    // It ends with 6 if a schema is not portable.
    expect(await inspect("--method", "tools/list", "--strict")).toContain('"readOnlyHint"');
    const call = async (name: string, fields: object): Promise<Record<string, unknown>> => {
      const flags = ["--tool-name", name, "--tool-args-json", JSON.stringify(fields)];
      const text = await inspect("--method", "tools/call", ...flags);
      const { result = JSON.parse(text) } = JSON.parse(text) as { result?: unknown };
      return (result as { structuredContent: Record<string, unknown> }).structuredContent;
    };
    expect(await call("buy_credits", { pack_slug: "demo" })).toMatchObject({ credits_added: 100 });
    const { job_id } = await call("submit", input);
    expect(await call("wait", { job_id })).toMatchObject({ status: "succeeded" });
    expect(await chargesOf(mock)).toEqual([8]);
    expect(await purchasesOf(mock, mock.keys.live)).toEqual([100]);
  });
});
