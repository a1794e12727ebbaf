// Checks the types of everything at once, and of each published package once more by itself: there neither the types of
// Node nor those of tests are in reach, so code for browsers and workers cannot depend on them. TypeScript 7 takes a
// quarter of the time; `npm run check` uses the compiler that makes the declarations: `typecheck.mjs typescript`.
import { spawnSync } from "node:child_process";

const [compiler = "typescript-7"] = process.argv.slice(2);
const projects = [
  ".",
  ...["client", "webhooks", "mock", "contract"].map((name) => `packages/${name}`),
];
for (const project of projects) {
  const buildInfo = `node_modules/.cache/${compiler}/${project.replace("/", "-")}.tsbuildinfo`;
  const args = ["-p", project, "--incremental", "--tsBuildInfoFile", buildInfo];
  const tsc = `node_modules/${compiler}/bin/tsc`;
  const checked = spawnSync(process.execPath, [tsc, ...args], { stdio: "inherit" });
  process.exitCode ||= checked.status ?? 1;
}
