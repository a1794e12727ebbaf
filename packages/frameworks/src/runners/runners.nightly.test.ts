import { join } from "node:path";

import { nightlySuite } from "../suites.ts";
import { runRunner } from "./run-runner.ts";
import { command, resultOf } from "./runners-page.ts";
import { runners } from "./runners.ts";

nightlySuite({
  path: join(import.meta.dirname, "results.json"),
  rows: runners,
  command,
  run: (runner) => runRunner(runner),
  resultOf,
  accepts: (runner) => runner.note !== undefined,
});
