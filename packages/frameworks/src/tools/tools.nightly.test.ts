import { join } from "node:path";

import { nightlySuite } from "../suites.ts";
import { runTool } from "./run-tool.ts";
import { command, resultOf } from "./tools-page.ts";
import { tools } from "./tools.ts";

nightlySuite({
  path: join(import.meta.dirname, "results.json"),
  rows: tools,
  command,
  run: (tool) => runTool(tool),
  resultOf,
  accepts: ({ notes }, check) => notes?.[check] !== undefined,
});
