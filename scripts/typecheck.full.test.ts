import { spawnSync } from "node:child_process";
import { join } from "node:path";

import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const node = join(root, "node_modules/node/bin/node");

it("the compiler that makes the declarations finds no fault in what the quick one lets pass", () => {
  const checked = spawnSync(node, ["scripts/typecheck.mjs", "typescript"], {
    cwd: root,
    encoding: "utf8",
  });
  expect(checked).toMatchObject({ status: 0, stdout: "", stderr: "" });
}, 300_000);
