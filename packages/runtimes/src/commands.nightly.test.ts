import { execFile } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, inject, it } from "vitest";

import { node } from "@tryon/test-kit/repository";
import { manifestOf } from "./installation.ts";
import { startReferenceServer, type ReferenceServer } from "./reference-server.ts";

const run = promisify(execFile);
const installation = inject("installation");
const { app } = installation;
const commandOf = (name: string): string => join(app, "node_modules/.bin", name);
const starting = 60_000;

let folder: string;
let server: ReferenceServer;

beforeAll(async () => {
  // Inside of the app, so that programs find the packages as an app does.
  folder = await mkdtemp(join(app, "commands-"));
  server = await startReferenceServer(installation);
}, starting);

afterAll(() => server.stop(), starting);

it("runs a command beside a separate server, and sends it an event", async () => {
  const command = commandOf("tryon-mock");
  const path = join(folder, "exec.mjs");
  await writeFile(
    path,
    `import { execFile } from "node:child_process";
    import { createServer } from "node:http";
    import { verify } from "@tryon/webhooks";
    const receiver = createServer(async (request, response) => {
      const parts = [];
      for await (const part of request) parts.push(part);
      const secrets = process.env.TRYON_WEBHOOK_SECRET;
      const event = await verify({ body: Buffer.concat(parts), headers: request.headers, secrets });
      response.writeHead(204).end();
      console.log(event.status);
    });
    receiver.listen(0, "127.0.0.1", () => {
      const to = "http://127.0.0.1:" + receiver.address().port;
      const argv = [process.argv[2], "send", "--to", to, "--status", "failed"];
      execFile(process.execPath, argv, async (error, stdout) => {
        const address = process.env.TRYON_BASE_URL + "/api/discovery";
        console.log(error === null, stdout.includes("204 after"), (await fetch(address)).status);
        process.exit(7);
      });
    });`,
  );
  const argv = [command, "exec", "--quiet", "--", node, path, commandOf("tryon-webhooks")];
  const ended = run(node, argv);
  await expect(ended).rejects.toMatchObject({
    code: 7,
    stdout: "failed\ntrue true 200\n",
    stderr: "",
  });
});

it("holds the reference server to the contract, and says so with the exit code", async () => {
  const command = commandOf("tryon-contract");
  const page = join(folder, "contract.html");
  const { stdout } = await run(node, [command, "--base-url", server.url, `--report=html=${page}`]);
  expect(stdout).toContain("The deployment passes every");
  expect(await readFile(page, "utf8")).toContain("<!doctype html>");
  const refused = run(node, [command, "--base-url", server.url, "--api-key", "svc_test_nobody"]);
  await expect(refused).rejects.toMatchObject({ code: 5, stdout: "" });
});

it("signs a webhook, and explains one that is refused, from the shell", async () => {
  const command = commandOf("tryon-webhooks");
  const path = join(folder, "body.json");
  await writeFile(path, "{}");
  const environment = { ...process.env, TRYON_WEBHOOK_SECRET: "whsec_a" };
  const { stdout } = await run(node, [command, "sign", "--body", path], { env: environment });
  expect(stdout).toMatch(/^sha256=[0-9a-f]{64}\n$/);
  const argv = [
    "explain",
    "--body",
    path,
    "--header",
    `X-Service-Signature: ${stdout.slice(7).trim()}`,
  ];
  const refused = run(node, [command, ...argv], { env: environment });
  await expect(refused).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining("[signature_prefix]"),
  });
});

it("installs the client with one dependency and the webhook library with none", async () => {
  const client = await manifestOf(app, "@tryon/client");
  expect(Object.keys(client.dependencies ?? {})).toEqual(["openapi-fetch"]);
  expect((await manifestOf(app, "@tryon/webhooks")).dependencies).toBeUndefined();
});
