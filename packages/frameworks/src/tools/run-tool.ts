import { cp } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import type { Mock } from "@tryon/mock";
import type { AppFolder } from "@tryon/test-kit/app-folder";
import { startChromium } from "@tryon/test-kit/chromium";
import { freePort } from "@tryon/test-kit/free-port";
import { node, root } from "@tryon/test-kit/repository";
import { chargesOf, serveMock } from "@tryon/test-kit/serve-mock";
import { build } from "esbuild";

import { checkInstalled, firstLine } from "../install-row.ts";
import { notApplicable, works, type Result } from "../row.ts";
import type { Tool } from "./tools.ts";

interface Job {
  readonly job_id: string;
  readonly status: string;
}

/** Calls of a generated client. Each tool with a program has `submit`. */
interface Calls {
  readonly submit: (key: string) => Promise<Job>;
  readonly get?: (id: string) => Promise<unknown>;
  readonly list?: () => Promise<unknown>;
  readonly account?: () => Promise<unknown>;
  readonly purchase?: () => Promise<unknown>;
  readonly close?: () => Promise<void>;
}

type CreateCalls = (baseUrl: string, apiKey: string, port: string) => Calls;

const folderOf = ({ id }: Tool): string => join(import.meta.dirname, "../apps/tools", id);

/** Lets a tool read the contract, compiles what it generates, and makes a try-on on the reference server. */
export async function runTool(tool: Tool, installed: Result["versions"] = {}): Promise<Result> {
  const { mock, url } = await serveMock({ latency: 0 });
  return checkInstalled(tool, installed, { manifest: { type: "module" } }, async (app) => {
    await cp(join(root, "spec/openapi.json"), app.path("openapi.json"));
    if (existsSync(folderOf(tool))) await cp(folderOf(tool), app.folder, { recursive: true });
    const outcomes: Record<string, string> = {
      accepts: notApplicable,
      compiles: notApplicable,
      tryOn: notApplicable,
    };
    const record = async (name: string, run: () => Promise<unknown>) => {
      outcomes[name] = await run().then(() => works, firstLine);
    };
    if (existsSync(app.path("index.html"))) await record("accepts", () => render(app));
    for (const command of tool.accepts ?? []) {
      const environment = { PATH: pathWith(app), TRYON_BASE_URL: url };
      if ((outcomes["accepts"] ?? works) !== works && outcomes["accepts"] !== notApplicable) break;
      await record("accepts", () => app.shell(command, environment));
    }
    const program = ["program.ts", "program.mjs"].find((name) => existsSync(app.path(name)));
    if (program === "program.ts") await record("compiles", () => compile(app));
    if (program !== undefined)
      await record("tryOn", async () => {
        const create = await load(app, program);
        const calls = create(url, mock.keys.live, String(await freePort()));
        try {
          await makeTryOn(calls, mock, tool.cost);
        } finally {
          await calls.close?.();
        }
      });
    return outcomes;
  });
}

/** Path of the commands of the packages. */
function pathWith(app: AppFolder): string {
  return [app.path("node_modules/.bin"), join(node, ".."), process.env["PATH"]].join(":");
}

async function compile(app: AppFolder): Promise<void> {
  const errors = await app.compile({
    compilerOptions: {
      target: "es2022",
      lib: ["es2023", "dom", "dom.iterable"],
      module: "esnext",
      moduleResolution: "bundler",
      types: [],
      strict: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      noEmit: true,
    },
    files: ["program.ts"],
  });
  if (errors !== "") throw new Error(errors);
}

async function load(app: AppFolder, program: string): Promise<CreateCalls> {
  const outfile = app.path("program.bundle.mjs");
  const isBundled = program.endsWith(".ts");
  if (isBundled)
    await build({
      entryPoints: [app.path(program)],
      outfile,
      bundle: true,
      platform: "node",
      banner: {
        js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
      },
      format: "esm",
      logLevel: "silent",
    });
  const path = isBundled ? outfile : app.path(program);
  // Each program exports it.
  const { createCalls } = (await import(pathToFileURL(path).href)) as { createCalls: CreateCalls };
  return createCalls;
}

/** Submits twice under one key, for one charge of the size that the alias names, and makes the other calls. */
async function makeTryOn(calls: Calls, mock: Mock, cost = 20): Promise<void> {
  const job = await calls.submit("order-17");
  const again = await calls.submit("order-17");
  const credits = await chargesOf(mock);
  if (credits.length !== 1) throw new Error(`It was charged ${credits.length} times.`);
  if (credits[0] !== -cost) throw new Error(`The charge was ${credits[0]}, and not -${cost}.`);
  if (again.job_id !== job.job_id) throw new Error("A repeated submission got another job.");
  const status = cost === 20 ? "running" : "succeeded";
  if (job.status !== status) throw new Error(`The status was ${job.status}, and not ${status}.`);
  const expected = {
    get: [calls.get?.(job.job_id), '"metadata":{"sku":"LS-204"}'],
    list: [calls.list?.(), job.job_id],
    account: [calls.account?.(), `"credits_remaining":${1_000 - cost}`],
    purchase: [calls.purchase?.(), '"credits_added":100'],
  } as const;
  for (const [name, [response, text]] of Object.entries(expected)) {
    const found = await response;
    if (found !== undefined && !JSON.stringify(found).includes(text))
      throw new Error(`${name} returned ${JSON.stringify(found)}.`);
  }
}

/** Opens the page in Chromium and waits for the title of an operation. */
async function render(app: AppFolder): Promise<void> {
  const browser = await startChromium();
  try {
    const page = await browser.newPage();
    const origin = "http://page.example";
    await page.route("**", async (route) => {
      const url = new URL(route.request().url());
      const path = app.path(url.pathname === "/" ? "index.html" : `.${url.pathname}`);
      if (url.origin === origin && existsSync(path)) await route.fulfill({ path });
      else await route.abort();
    });
    await page.goto(`${origin}/`);
    await page.getByText("Submit a try-on").first().waitFor({ state: "attached", timeout: 30_000 });
  } finally {
    await browser.close();
  }
}
