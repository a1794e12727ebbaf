import { readFileSync } from "node:fs";
import { glob, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { root } from "@tryon/test-kit/repository";
import goals from "../goals.json" with { type: "json" };
import results from "../results.json" with { type: "json" };
import { clientBenchmarks } from "./benchmarks/client.ts";
import { photos } from "./benchmarks/photos.ts";
import { serverBenchmarks } from "./benchmarks/server.ts";
import { sharedStore } from "./benchmarks/shared-store.ts";
import { simulation } from "./benchmarks/simulation.ts";
import { webhookBenchmarks } from "./benchmarks/webhooks.ts";
import { runCli, type Context } from "./cli.ts";
import { createEnvironment } from "./environment.ts";

export const docs = join(root, "docs");
const folder = join(import.meta.dirname, "..");
const pages = ["benchmarks.md", "benchmarks-method.md"];

export const context: Context = {
  benchmarks: [
    ...serverBenchmarks,
    ...clientBenchmarks,
    photos,
    simulation,
    sharedStore,
    ...webhookBenchmarks,
  ],
  createEnvironment,
  print: (text) => process.stdout.write(text),
  pages: new Map(pages.map((name) => [name, readFileSync(join(folder, "pages", name), "utf8")])),
  goals,
  results,
  write: async (files) => {
    for await (const old of glob(join(docs, "images/benchmark-*.svg"))) await rm(old);
    for (const [path, text] of files) await writeFile(join(docs, path), text);
  },
  save: async (newResults) => {
    const json = JSON.stringify(newResults, null, 2);
    // One line per row.
    const rows = json.replaceAll(/\{\s+"q1"[^}]+\}|\[\s+[\d.]+,\s[^\]]+\]/g, (row) =>
      row.replaceAll(/\s+/g, " "),
    );
    await writeFile(join(folder, "results.json"), `${rows}\n`);
  },
};

if (import.meta.main) process.exitCode = await runCli(process.argv.slice(2), context);
