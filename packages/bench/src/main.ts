import { glob, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { root } from "@tryon/test-kit/repository";
import { clientBenchmarks } from "./benchmarks/client.ts";
import { serverBenchmarks } from "./benchmarks/server.ts";
import { simulation } from "./benchmarks/simulation.ts";
import { webhookBenchmarks } from "./benchmarks/webhooks.ts";
import { runCli } from "./cli.ts";
import { createEnvironment } from "./environment.ts";

const docs = join(root, "docs");

process.exitCode = await runCli(process.argv.slice(2), {
  benchmarks: [...serverBenchmarks, ...clientBenchmarks, simulation, ...webhookBenchmarks],
  createEnvironment,
  print: (text) => process.stdout.write(text),
  write: async (files) => {
    await mkdir(join(docs, "images"), { recursive: true });
    for await (const old of glob(join(docs, "images/benchmark-*.svg"))) await rm(old);
    for (const [path, text] of files) await writeFile(join(docs, path), text);
  },
});
