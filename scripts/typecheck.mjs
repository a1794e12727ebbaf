// Checks the types of everything at once, and of what is published once more by itself: there neither the types of Node
// nor those of the tests are at hand, so code for browsers and workers cannot lean on them unseen. TypeScript 7 does it in
// a quarter of the time; the one that makes the declarations is asked in the full set: `typecheck.mjs typescript`.
import { spawnSync } from "node:child_process";

const compiler = `node_modules/${process.argv[2] ?? "typescript-7"}/bin/tsc`;
const projects = [
  ".",
  "packages/client",
  "packages/webhooks",
  "packages/mock",
  "packages/contract",
];
let code = 0;
for (const project of projects) {
  const checked = spawnSync(process.execPath, [compiler, "-p", project], { stdio: "inherit" });
  code ||= checked.status ?? 1;
}
process.exitCode = code;
