import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { expect, it } from "vitest";

import { receiver } from "../../test/command.ts";
import { secret, signatureOf } from "../../test/explained.ts";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

/** Starts the command as a process with its own environment. */
function start(stdin: string, words: string, environment: NodeJS.ProcessEnv = {}) {
  const argv = ["--conditions=@tryon/source", main, ...words.split(" ")];
  const env = { TRYON_WEBHOOK_SECRET: secret, ...environment };
  const running = promisify(execFile)(process.execPath, argv, { env });
  running.child.stdin?.end(stdin);
  return running;
}

it("signs what comes on stdin with the secret of its environment, and verifies it again", async () => {
  const signed = await start("{}", "sign --body -");
  expect(signed).toEqual({ stdout: `${signatureOf("{}")}\n`, stderr: "" });
  const header = `X-Service-Signature:${signed.stdout.trim()}`;
  const verified = start("{} ", `verify --body - --header ${header}`);
  await expect(verified).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^signature_mismatch: /),
  });
});

it("sends, and ends by itself", async () => {
  const { url, arrived } = await receiver((response) => response.writeHead(204).end());
  expect((await start("", `send --to ${url}`)).stdout).toMatch(/^204 after \d+ ms\. /);
  expect(arrived).toHaveLength(1);
});

it.each([{}, { no_proxy: "shop.example" }, { NO_PROXY: "shop.example" }])(
  "sends no event for this machine to the proxy of the environment, with %j",
  async (excluded) => {
    const proxy = await receiver((response) => response.writeHead(502).end());
    const { url, arrived } = await receiver((response) => response.writeHead(204).end());
    const environment = {
      NODE_USE_ENV_PROXY: "1",
      http_proxy: new URL(proxy.url).origin,
      ...excluded,
    };
    const sent = await start("", `send --to ${url}`, environment);
    expect(sent.stdout).toMatch(/^204 after/);
    expect([arrived.length, proxy.arrived.length]).toEqual([1, 0]);
  },
);

it("ends with 2 and one line for a wrong command line", async () => {
  await expect(start("", "sned")).rejects.toMatchObject({
    code: 2,
    stdout: "",
    stderr: "tryon-webhooks: unknown command. Did you mean send?\n",
  });
});

it("ends with one line and 1 when the reader of its output is gone", async () => {
  const running = start("", "--help");
  running.child.stdout?.destroy();
  await expect(running).rejects.toMatchObject({
    code: 1,
    stderr: "tryon-webhooks: standard output is incomplete, its reader has closed it (EPIPE).\n",
  });
});
