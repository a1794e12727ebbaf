import { spawn } from "node:child_process";
import { copyFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";

import { installing, type AppFolder } from "@tryon/test-kit/app-folder";
import { node, root } from "@tryon/test-kit/repository";
import { readPage } from "../code/pages.ts";
import { openPrograms, type Programs } from "../code/programs.ts";
import { tableOf } from "./page-table.ts";

interface Config {
  readonly command: string;
  readonly args: readonly string[];
}
interface Tool {
  readonly name: string;
  readonly inputSchema: { readonly properties?: object };
}
interface Content {
  readonly type: string;
  readonly text: string;
}

const { text: page, blocks: all } = await readPage("docs/guides/mcp.md");
const blocks = all.filter(({ language }) => language === "json");
const configs = blocks.flatMap(({ name, code }) => {
  // Each file has one server, under one of these names.
  const file = JSON.parse(code) as Record<string, { tryon: Config }>;
  const { tryon } = file["mcpServers"] ?? file["servers"] ?? {};
  return tryon ? [{ name, ...tryon }] : [];
});

let programs: Programs;
let app: AppFolder;

beforeAll(async () => {
  programs = await openPrograms();
  const [snippet] = blocks;
  if (!snippet) throw new Error("The page has no configuration.");
  const context = await programs.contextOf(snippet);
  ({ app } = context);
  const { server, mock } = context;
  const lines = [`TRYON_BASE_URL=${server.url}`, `TRYON_API_KEY=${mock.keys.live}`];
  await app.write(".env", lines.join("\n"));
  await mkdir(app.path("photos"));
  for (const image of ["me.jpg", "shirt.png"]) {
    await copyFile(app.path(image), app.path("photos", image));
  }
}, installing);

afterAll(() => programs.close());

/** Starts the server of a configuration as a client does, and returns a function that calls a method. */
function start({ command, args }: Config) {
  const [name, ...rest] = args;
  expect([command, name]).toEqual(["npx", "tryon"]);
  const main = join(root, "packages/cli/src/main.ts");
  const server = spawn(node, ["--conditions=@tryon/source", main, ...rest], { cwd: app.folder });
  onTestFinished(() => void server.kill());
  const waiting = new Map<number, (result: unknown) => void>();
  createInterface({ input: server.stdout }).on("line", (line) => {
    const { id, result } = JSON.parse(line) as { id: number; result: unknown };
    waiting.get(id)?.(result);
  });
  const send = (message: object): void => {
    server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  };
  return {
    notify: (method: string) => send({ method }),
    call: async (method: string, params: object): Promise<unknown> => {
      const id = waiting.size;
      const { promise, resolve } = Promise.withResolvers<unknown>();
      waiting.set(id, resolve);
      send({ id, method, params });
      return promise;
    },
  };
}

it("shows two configurations", () => {
  expect(configs.map(({ name }) => name)).toEqual(["mcp-servers.json", "vscode.json"]);
});

it.each(configs)("starts a server that has the tools of the page: $name", async (config) => {
  const { call, notify } = start(config);
  const clientInfo = { name: "test", version: "1" };
  await call("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  notify("notifications/initialized");
  const { tools } = (await call("tools/list", {})) as { tools: Tool[] };
  const listed = tools.map(({ name, inputSchema }) => [
    `\`${name}\``,
    Object.keys(inputSchema.properties ?? {})
      .map((field) => `\`${field}\``)
      .join(", "),
  ]);
  const shown = tableOf(page, "tool", "fields", "what it does");
  expect(listed).toEqual(shown.map(([name, fields]) => [name, fields]));

  const use = async (name: string, fields: object): Promise<Record<string, unknown>> => {
    const result = await call("tools/call", { name, arguments: fields });
    const [content] = (result as { content: Content[] }).content;
    return JSON.parse(content?.text ?? "") as Record<string, unknown>;
  };
  const input = { person: "me.jpg", garments: ["shirt.png"] };
  const { job_id } = await use("submit", input);
  expect((await use("submit", input))["job_id"]).toBe(job_id);
  const result = await use("wait", { job_id });
  const example = JSON.parse(blocks.at(-1)?.code ?? "") as Record<string, unknown>;
  const hasFolder = config.args.includes("--out");
  const fields = Object.keys(example).map((field) =>
    field === "path" && !hasFolder ? "result_url" : field,
  );
  expect(Object.keys(result)).toEqual(fields);
  expect(result).toMatchObject({ status: "succeeded", budget: example["budget"] });
  if (hasFolder) await readFile(app.path("looks", `${String(job_id)}.png`));
});
