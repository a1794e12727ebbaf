import { readdirSync } from "node:fs";
import { join } from "node:path";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { useMock } from "@tryon/mock/vitest";
import { inNamespaces } from "@tryon/test-kit/namespaces";
import { node, root } from "@tryon/test-kit/repository";
import { startProgram, startScript } from "@tryon/test-kit/start-program";
import { expect, it, onTestFinished } from "vitest";

import {
  callTool,
  createFolder,
  input,
  purchasePath,
  purchasesOf,
  submitPath,
} from "../../test/mcp-session.ts";

const mock = useMock();
const file = join(root, "packages/cli/src/main.ts");
const container = await inNamespaces();

/** Starts the program and connects to it. */
async function openProgram(argv: readonly string[], environment: Record<string, string> = {}) {
  const { TRYON_BASE_URL = "", TRYON_API_KEY = "" } = process.env;
  const transport = new StdioClientTransport({
    command: node,
    args: ["--conditions=@tryon/source", file, "mcp", ...argv],
    env: { TRYON_BASE_URL, TRYON_API_KEY, ...environment },
  });
  const errors: Error[] = [];
  const client = new Client({ name: "test", version: "1" });
  // Output that is not a message of the protocol.
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  Object.assign(client, { onerror: (error: Error) => errors.push(error), onclose: resolve });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, closed, errors, pid: transport.pid ?? 0 };
}

it("charges a try-on once if the process is killed in a submission and started again", async () => {
  const folder = createFolder();
  const argv = ["--max-credits", "20", "--state", join(folder, "state.json"), "--out", folder];
  const { id } = mock.faults.add({ on: submitPath, reset: "after" });
  const first = await openProgram(argv);
  const call = callTool(first.client, "submit", input).catch(() => "cut");
  await mock.journal.waitFor(submitPath);
  process.kill(first.pid, "SIGKILL");
  expect(await call).toBe("cut");
  mock.faults.remove(id);

  const second = await openProgram(argv);
  const { value: job } = await callTool(second.client, "submit", input);
  expect(job["budget"]).toMatchObject({ spent: 8, reserved: 0 });
  const { value, images } = await callTool(second.client, "wait", { job_id: job["job_id"] });
  const path = join(folder, `${String(job["job_id"])}.png`);
  expect(value).toMatchObject({ status: "succeeded", path, budget: { spent: 8, reserved: 0 } });
  expect(images).toHaveLength(1);
  expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
  expect(second.errors).toEqual([]);
  await second.client.close();
  expect(readdirSync(folder).toSorted()).toEqual([`${String(job["job_id"])}.png`, "state.json"]);
});

it("pays for a pack once if the process is killed in a purchase and started again", async () => {
  const state = join(createFolder(), "state.json");
  const argv = ["--max-credits", "20", "--max-usd", "3", "--state", state];
  const token = { TRYON_PAYMENT_TOKEN: "spt_one" };
  const { id } = mock.faults.add({ on: purchasePath, reset: "after" });
  const first = await openProgram(argv, token);
  const call = callTool(first.client, "buy_credits", { pack_slug: "demo" }).catch(() => "cut");
  await mock.journal.waitFor(purchasePath);
  process.kill(first.pid, "SIGKILL");
  expect(await call).toBe("cut");
  mock.faults.remove(id);

  const second = await openProgram(argv, token);
  const other = await callTool(second.client, "buy_credits", { pack_slug: "demo", variation: 2 });
  expect(other.error).toMatch(/^payment_token_missing: /);
  const { value } = await callTool(second.client, "buy_credits", { pack_slug: "demo" });
  expect(value).toMatchObject({ status: "succeeded", budget: { usd: { spent: 2, left: 1 } } });
  expect(await purchasesOf(mock, mock.keys.live)).toEqual([100]);
});

it("refuses a second process with the same state, and ends with Ctrl+C or standard input", async () => {
  const folder = createFolder();
  const argv = ["--max-credits", "20", "--state", join(folder, "state.json")];
  const { closed, pid } = await openProgram(argv);
  const refused = startScript(file, ["mcp", ...argv]);
  expect(await refused.ended).toMatchObject({ code: 2 });
  expect(refused.output.stderr).toContain(`is in use by process ${pid}.`);
  process.kill(pid, "SIGINT");
  await closed;
  expect(readdirSync(folder)).toEqual([]);
  const last = startScript(file, ["mcp", ...argv]);
  expect(await last.ended).toMatchObject({ code: 0 });
  expect(last.text).toBe("");
});

it.skipIf(!container)("refuses the state of a server in another container", async () => {
  const [program = "", ...args] = container ?? [];
  const state = join(createFolder(), "state.json");
  const argv = ["--max-credits", "20", "--state", state];
  const { pid } = await openProgram(argv);
  const script = [...args, node, "--conditions=@tryon/source", file, "mcp", ...argv];
  const refused = startProgram(program, script);
  expect(await refused.ended).toMatchObject({ code: 2 });
  expect(refused.text).toContain(`${state} was locked by process ${pid}, possibly in another`);
  expect(refused.text).toContain(`Delete ${state}.lock once`);
});
