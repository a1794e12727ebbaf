import { glob, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { root } from "@tryon/test-kit/repository";
import * as client from "./benchmarks/client.ts";
import * as server from "./benchmarks/server.ts";
import { simulation } from "./benchmarks/simulation.ts";
import * as webhooks from "./benchmarks/webhooks.ts";
import { runCli } from "./cli.ts";
import { createEnvironment } from "./environment.ts";

const docs = join(root, "docs");

process.exitCode = await runCli(process.argv.slice(2), {
  benchmarks: [
    server.accountOverHttp,
    server.submissions,
    server.stockImage,
    server.commandStart,
    client.smallRequest,
    client.upload,
    client.weight,
    client.importTime,
    simulation,
    webhooks.verification,
    webhooks.timingLeak,
  ],
  createEnvironment,
  print: (text) => process.stdout.write(text),
  write: async (files) => {
    await mkdir(join(docs, "images"), { recursive: true });
    for await (const old of glob(join(docs, "images/benchmark-*.svg"))) await rm(old);
    for (const [path, text] of files) await writeFile(join(docs, path), text);
  },
});
