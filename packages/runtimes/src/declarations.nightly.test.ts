import { execFile } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { beforeAll, describe, expect, inject, it } from "vitest";

import { node } from "@tryon/test-kit/repository";

const run = promisify(execFile);
const { app } = inject("installation");
const compiling = 300_000;

let folder: string;

/** In an app: what is written against the whole of the client, and of what is for Node alone. */
beforeAll(async () => {
  folder = await mkdtemp(join(app, "declarations-"));
  await writeFile(join(folder, "program.ts"), program);
  await writeFile(join(folder, "program.cts"), program);
  await writeFile(join(folder, "server.cts"), server);
});

const program = `
  import { Budget, isTryOnError, packs, TryOn, type Job, type TryOnErrorCode, type TryOnInput } from "@tryon/client";
  import { batch, type BatchItem, type Journal } from "@tryon/client/batch";
  import { createProxy } from "@tryon/client/proxy";
  import { createRawClient } from "@tryon/client/raw";
  import { createTryOnSession } from "@tryon/client/session";

  export async function shop(photo: Uint8Array, signal: AbortSignal | undefined, urls: string[]): Promise<number | undefined> {
    const tryon = new TryOn({ apiKey: undefined, baseUrl: new URL("https://tryon.example"), retries: undefined });
    const input: TryOnInput = { person: photo, garments: urls, output_size: "1k", prompt: undefined, seed: null };
    try {
      const result = await tryon.run(input, { signal, timeout: "3m", onUpdate: (update) => update.phase });
      const bytes = await result.image.bytes({ signal });
      const job: Job = await tryon.submit({ person: new Blob([bytes]), garments: [new URL("https://shop.example/a.png")] });
      for await (const { status } of job) if (status === "failed") break;
      for await (const { id } of tryon.jobs.list({ status_filter: "succeeded", limit: undefined })) tryon.jobs.resume(id);
      const { data } = await createRawClient(tryon).GET("/api/v1/account");
      return data?.credits_remaining ?? result.receipt.credits;
    } catch (error) {
      if (isTryOnError(error, "wait_timed_out")) await error.job.result();
      if (isTryOnError(error, "outcome_unknown")) return (await error.recover()).data.cost_credits;
      const code: TryOnErrorCode | undefined = isTryOnError(error) ? error.code : undefined;
      throw new Error(code);
    }
  }

  export async function catalogue(names: string[], journal: Journal): Promise<BatchItem<string>[]> {
    const budget = new Budget({ maxCredits: packs.pro.credits });
    const tryon = new TryOn({ proxyUrl: "/api/tryon", budget });
    const ended: BatchItem<string>[] = [];
    const input = (name: string): TryOnInput => ({ person: "https://a.example", garments: [name] });
    for await (const item of batch(tryon, names, { id: (name) => name, input, journal, budget: { maxCredits: budget.left } })) {
      if (item.error && !item.job) throw item.error;
      ended.push(item);
    }
    for (const { id, result, error } of await tryon.jobs.waitAll(names)) console.log(id, result ? result.receipt.requestId : error.message);
    const settled = await tryon.credits.waitForPurchase({ pack_slug: "demo", shared_payment_granted_token: "spt_a" });
    if (settled.status !== "unknown") console.log((await tryon.estimate(names.map(input))) + (settled.balance ?? 0));
    return ended;
  }
  export function look(show: (image: Blob) => void): void {
    const session = createTryOnSession(new TryOn({ proxyUrl: "/api/tryon" }), { name: "shirt", maxAge: "1h" });
    session.subscribe(() => {
      const state = session.getSnapshot();
      if (state.status === "succeeded") show(state.image);
    });
  }
  export const proxy: (request: Request) => Promise<Response> = createProxy({
    authorize: (request) => (request.headers.get("cookie") ? { id: "ada" } : undefined),
    limit: ({ user }) => user.id === "ada",
  });
  // @ts-expect-error A journal wants ids.
  export const unnamed = (journal: Journal) => batch(new TryOn(), [] as TryOnInput[], { journal });
  // @ts-expect-error The option authorize is required.
  export const open = createProxy({});

  // @ts-expect-error Four garments.
  export const four: TryOnInput = { person: "https://a.example", garments: ["1", "2", "3", "4"] };
  // @ts-expect-error No such size.
  export const large: TryOnInput = { person: "https://a.example", garments: ["1"], output_size: "3K" };
`;

/** Entries for Node only. */
const server = `
  import { createServer } from "node:http";
  import { batch, type Journal } from "@tryon/client/batch";
  import { openJournal, toNodeHandler, type FileJournal } from "@tryon/client/node";
  import { createProxy } from "@tryon/client/proxy";

  export async function kept(): Promise<Journal> {
    const journal: FileJournal = await openJournal("run.ndjson");
    await journal.close();
    return journal;
  }
  export const site = createServer(toNodeHandler(createProxy({ authorize: () => ({ id: "ada" }) })));
  export const make = batch;
`;

const strict = {
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  target: "es2022",
};
const forNode = { module: "node16", moduleResolution: "node16", lib: ["es2022"], types: ["node"] };
const forPages = {
  module: "esnext",
  moduleResolution: "bundler",
  lib: ["es2022", "dom", "dom.iterable", "dom.asynciterable"],
  types: [],
};

describe.each(["5.4", "6"])("the declarations under TypeScript %s", (version) => {
  it.each([
    [
      "node16, with the types of Node and not of the DOM",
      forNode,
      ["program.ts", "program.cts", "server.cts"],
    ],
    ["bundler, with the types of the DOM and not of Node", forPages, ["program.ts"]],
  ])(
    "compile with %s",
    async (_what, options, files) => {
      const project = join(folder, `tsconfig.${options.module}.json`);
      await writeFile(
        project,
        JSON.stringify({ compilerOptions: { ...strict, ...options }, files }),
      );
      const compiler = join(app, `node_modules/typescript-${version}/bin/tsc`);
      // Not of the output alone: a compiler that breaks down has none either.
      const compiled = await run(node, [compiler, "-p", project]).catch((error: unknown) => error);
      expect(compiled).toEqual({ stdout: "", stderr: "" });
    },
    compiling,
  );
});

it("knows the errors of an ES module in a CommonJS module, and the other way round", async () => {
  const path = join(folder, "copies.mjs");
  await writeFile(
    path,
    `import { createRequire } from "node:module";
    import * as esm from "@tryon/client";
    const cjs = createRequire(import.meta.url)("@tryon/client");
    const seen = [esm.TryOnError === cjs.TryOnError];
    for (const [one, other] of [[esm, cjs], [cjs, esm]]) {
      const error = await new one.TryOn({ apiKey: "svc_test_a", baseUrl: "https://a.example" }).submit({}).catch((error) => error);
      seen.push(error instanceof other.TryOnError, other.isTryOnError(error), other.isTryOnError(error, "invalid_input"), other.isTryOnError(error, "timed_out"));
    }
    console.log(JSON.stringify(seen));`,
  );
  const { stdout } = await run(node, [path], { cwd: folder });
  const [same, ...seen] = JSON.parse(stdout) as boolean[];
  expect(same).toBe(false);
  expect(seen).toEqual([false, true, true, false, false, true, true, false]);
});
