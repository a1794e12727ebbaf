import { writeFile } from "node:fs/promises";
import { availableParallelism, loadavg, type } from "node:os";
import { join, resolve } from "node:path";

import { root } from "@tryon/test-kit/repository";

import { readArguments, type Arguments } from "./arguments.ts";
import { importTime } from "./client/import-time.ts";
import { installPeers, type Peers } from "./client/peers.ts";
import { smallRequest } from "./client/small-request.ts";
import { upload } from "./client/upload.ts";
import { weight } from "./client/weight.ts";
import { inProcess } from "./in-process.ts";
import { benchmarkPage, benchmarkText, type Measured } from "./page.ts";
import { Processes } from "./processes.ts";
import { accountOverHttp } from "./server/account-over-http.ts";
import { commandStart } from "./server/command-start.ts";
import { stockPicture } from "./server/stock-picture.ts";
import { submissionsInProcess } from "./server/submissions-in-process.ts";
import { simulation } from "./simulation/simulation.ts";
import type { Bench, Subject } from "./subject.ts";
import { webhookTiming } from "./webhooks/timing.ts";
import { webhooks } from "./webhooks/verification.ts";

const subjects: readonly Subject[] = [
  accountOverHttp,
  submissionsInProcess,
  stockPicture,
  commandStart,
  inProcess,
  smallRequest,
  upload,
  weight,
  importTime,
  simulation,
  webhooks,
  webhookTiming,
];
const { names, write, client = join(root, "packages/client") } = argumentsOrEnd();

const processes = new Processes();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    void processes.stop().then(() => process.exit(130));
  });
}

let installed: Promise<Peers> | undefined;
const bench: Bench = {
  processes,
  root,
  client: resolve(client),
  peers: () => (installed ??= installPeers(processes)),
};
const [load = 0] = loadavg();
const measured: Measured[] = [];
try {
  for (const subject of subjects) {
    if (!names.includes(subject.name)) continue;
    const findings = await subject.measure(bench);
    measured.push({ subject, findings });
    process.stdout.write(benchmarkText({ subject, findings }));
  }
} catch (error) {
  // What a signal has ended fails, and that needs no word.
  if (!processes.stopped) throw error;
} finally {
  await processes.stop();
}
if (write && measured.length === subjects.length) {
  const cores = availableParallelism();
  const machine = { cores, node: process.versions.node, system: type(), load };
  await writeFile(join(root, "docs/benchmarks.md"), benchmarkPage(measured, machine));
}

function argumentsOrEnd(): Arguments {
  try {
    return readArguments(
      process.argv.slice(2),
      subjects.map(({ name }) => name),
    );
  } catch (error) {
    process.stderr.write(`${error instanceof RangeError ? error.message : String(error)}\n`);
    return process.exit(2);
  }
}
