import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

// The driver of the browser is at home there, and needs no second place.
import { findChromium, startChromium } from "../../../mock/src/testing/chromium.ts";
import vectors from "../../../../spec/vectors/webhooks.json" with { type: "json" };
import { buildPackage } from "./built-package.ts";
import type { BuiltPackage } from "./built-package.ts";
import { installRuntimes } from "./install-runtimes.ts";
import type { Runtimes } from "./install-runtimes.ts";

const run = promisify(execFile);
const chromium = await findChromium();
const ownNode = join(import.meta.dirname, "../../../../node_modules/node/bin/node");

/** Of a machine that is busy with other things besides. */
const timeout = 180_000;

let built: BuiltPackage;
let runtimes: Runtimes;

beforeAll(async () => {
  [built, runtimes] = await Promise.all([buildPackage(), installRuntimes()]);
}, 600_000);

afterAll(async () => {
  await Promise.all([built.remove(), runtimes.remove()]);
});

/** Runs a program to its end, and gives what it wrote. */
async function told(command: string, ...args: readonly string[]): Promise<unknown> {
  // Far from UTC, so that a time without its zone tells whether it is read as one of there.
  const env = {
    PATH: process.env["PATH"],
    TZ: "Asia/Kolkata",
    DENO_NO_UPDATE_CHECK: "1",
    NO_COLOR: "1",
  };
  const { stdout } = await run(command, args, { cwd: built.folder, env });
  return JSON.parse(stdout) as unknown;
}

/** That every vector passed, in that runtime. */
function allPassed(runtime: unknown): object {
  const cases = vectors.cases.length;
  return { cases, passed: cases, failures: [], runtime };
}

/** Versions as a process tells them, of which one begins so. */
function version(name: string, start: string): unknown {
  const text = expect.stringMatching(`^${start.replaceAll(".", String.raw`\.`)}\\b`) as unknown;
  return expect.objectContaining({ [name]: text }) as unknown;
}

it("there are as many vectors as are needed to tell", () => {
  expect(vectors.cases.length).toBeGreaterThanOrEqual(60);
});

describe.each([
  { backEnd: "Web Crypto", module: "web-crypto-vectors.ts" },
  { backEnd: "node:crypto", module: "node-crypto-vectors.ts" },
])("the built package passes every vector over $backEnd", { timeout }, ({ module }) => {
  it.each([
    { major: "20", nodeOf: () => runtimes.node20 },
    { major: "22", nodeOf: () => runtimes.node22 },
    { major: "24", nodeOf: () => ownNode },
  ])("on Node $major, imported and required", async ({ major, nodeOf }) => {
    for (const format of ["esm", "cjs"] as const) {
      const { file } = await built.program(module, "process", format);
      expect(await told(nodeOf(), file), format).toMatchObject(allPassed(version("node", major)));
    }
  });

  it("on Bun", async () => {
    const { file } = await built.program(module, "process");
    expect(await told(runtimes.bun, file)).toMatchObject(allPassed(version("bun", "1.4.5")));
  });

  it("on Deno, which allows it nothing", async () => {
    const { file } = await built.program(module, "process");
    const outcome = await told(runtimes.deno, "run", "--no-prompt", "--no-remote", file);
    expect(outcome).toMatchObject(allPassed(version("deno", "2.9.6")));
  });
});

describe("the built package, bundled, passes every vector", { timeout }, () => {
  it("on workerd", async () => {
    const { text } = await built.program("web-crypto-vectors.ts", "worker");
    expect(await runtimes.askWorker(text)).toMatchObject(allPassed("Cloudflare-Workers"));
  });

  it.skipIf(!chromium.present)("in Chromium", async () => {
    const { text } = await built.program("web-crypto-vectors.ts", "page");
    const server = createServer((_request, response) => {
      response.setHeader("Content-Type", "text/html").end("<!doctype html><title>Page</title>");
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const browser = await startChromium(chromium.path);
    try {
      const page = await browser.newPage();
      // A server on a port has an address that is no text.
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      await page.addScriptTag({ content: text, type: "module" });
      expect(await page.evaluate("told")).toMatchObject(
        allPassed(expect.stringContaining("Chrome/")),
      );
    } finally {
      await browser.close();
      server.closeAllConnections();
      server.close();
    }
  });
});
