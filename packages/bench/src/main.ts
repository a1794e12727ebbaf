import { writeFile } from "node:fs/promises";
import { availableParallelism, loadavg, type } from "node:os";
import { join } from "node:path";

import { inProcess } from "./in-process.ts";
import { benchmarkPage, benchmarkText, type Measured } from "./page.ts";
import { Processes } from "./processes.ts";
import { accountOverHttp } from "./server/account-over-http.ts";
import { commandStart } from "./server/command-start.ts";
import { stockPicture } from "./server/stock-picture.ts";
import { submissionsInProcess } from "./server/submissions-in-process.ts";
import type { Subject } from "./subject.ts";

const subjects: readonly Subject[] = [
  accountOverHttp,
  submissionsInProcess,
  stockPicture,
  commandStart,
  inProcess,
];
const root = join(import.meta.dirname, "../../..");
const args = process.argv.slice(2).filter((argument) => argument !== "--");
const unknown = args.find((argument) => argument !== "--write");
if (unknown !== undefined) {
  process.stderr.write(`There is no ${unknown}; --write writes docs/benchmarks.md.\n`);
  process.exit(2);
}

const processes = new Processes();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    void processes.stop().then(() => process.exit(130));
  });
}

const [load = 0] = loadavg();
const measured: Measured[] = [];
try {
  for (const subject of subjects) {
    const findings = await subject.measure({ processes, root });
    measured.push({ subject, findings });
    process.stdout.write(benchmarkText({ subject, findings }));
  }
} catch (error) {
  // What a signal has ended fails, and that needs no word.
  if (!processes.stopped) throw error;
} finally {
  await processes.stop();
}
if (args.includes("--write") && measured.length === subjects.length) {
  const cores = availableParallelism();
  const machine = { cores, node: process.versions.node, system: type(), load };
  await writeFile(join(root, "docs/benchmarks.md"), benchmarkPage(measured, machine));
}
