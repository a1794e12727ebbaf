import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";

import { root } from "@tryon/test-kit/repository";
import { createMock } from "../mock.ts";
import { serve } from "./serve.ts";

type Call = (...args: readonly unknown[]) => Promise<{ readonly data: Record<string, unknown> }>;

/** Program that exports the five operations of a generated client, and the command that generates the client. */
const generators: Readonly<Record<string, { npx: string; program: string }>> = {
  "swagger-typescript-api": {
    npx: "--package=swagger-typescript-api@13.13.0 --call 'swagger-typescript-api generate -p openapi.json -o client'",
    program: `
      import { Api } from "./client/Api.ts";
      export function createCalls(baseUrl, apiKey) {
        const headers = { authorization: "Bearer " + apiKey };
        const { api } = new Api({ baseUrl, baseApiParams: { headers, format: "json" } });
        return {
          submit: (body) => api.submitTryOn(body),
          list: () => api.listTryOns({ limit: 5 }),
          get: (id) => api.getTryOn(id),
          account: () => api.getAccount(),
          purchase: (body) => api.purchaseCredits(body),
        };
      }`,
  },
  "@hey-api/openapi-ts": {
    npx: "--package=@hey-api/openapi-ts@0.99.0 --package=typescript@5.9.3 --call 'openapi-ts -i openapi.json -o client'",
    program: `
      import { createClient } from "./client/client";
      import * as sdk from "./client/sdk.gen.ts";
      export function createCalls(baseUrl, auth) {
        const client = createClient({ baseUrl, auth, throwOnError: true });
        return {
          submit: (body) => sdk.submitTryOn({ client, body }),
          list: () => sdk.listTryOns({ client, query: { limit: 5 } }),
          get: (job_id) => sdk.getTryOn({ client, path: { job_id } }),
          account: () => sdk.getAccount({ client }),
          purchase: (body) => sdk.purchaseCredits({ client, body }),
        };
      }`,
  },
};

test.each(Object.entries(generators))(
  "a client that %s generates from the contract runs the five operations",
  { timeout: 180_000 },
  async (_name, { npx, program }) => {
    const folder = mkdtempSync(join(tmpdir(), "generated-client-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    copyFileSync(join(root, "spec/openapi.json"), join(folder, "openapi.json"));
    const { status, stderr } = spawnSync(`npx --yes ${npx}`, {
      cwd: folder,
      encoding: "utf8",
      shell: true,
    });
    expect(status, stderr).toBe(0);
    writeFileSync(join(folder, "program.ts"), program);
    const outfile = join(folder, "program.mjs");
    const entryPoints = [join(folder, "program.ts")];
    await build({ entryPoints, outfile, bundle: true, format: "esm", logLevel: "silent" });
    const { createCalls } = (await import(pathToFileURL(outfile).href)) as {
      readonly createCalls: (baseUrl: string, apiKey: string) => Record<string, Call>;
    };

    const mock = createMock({ latency: 0 });
    const server = await serve(mock);
    onTestFinished(() => server.close());
    const { submit, list, get, account, purchase } = createCalls(server.url, mock.keys.live);
    const submission = await submit?.({
      person_url: "https://shop.example/ada.jpg",
      garment_urls: ["https://shop.example/shirt.png"],
      metadata: { sku: "LS-204" },
    });
    const job = submission?.data;
    expect(job).toMatchObject({ status: "succeeded", cost_credits: 8 });
    const found = { job_id: job?.["job_id"], metadata: { sku: "LS-204" } };
    expect((await list?.())?.data).toMatchObject({ jobs: [found], next_cursor: null });
    expect((await get?.(job?.["job_id"]))?.data).toMatchObject({ ...found, status: "succeeded" });
    expect((await account?.())?.data).toMatchObject({ credits_remaining: 992 });
    const pack = { pack_slug: "demo", shared_payment_granted_token: "spt_token" };
    expect((await purchase?.(pack))?.data).toMatchObject({ credits_added: 100 });
  },
);
