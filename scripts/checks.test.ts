import { resolve } from "node:path";

import { expect, it } from "vitest";

import { node, root } from "@tryon/test-kit/repository";
import { startProgram } from "@tryon/test-kit/start-program";

it.concurrent.each([
  ["types, lint and format", node, "--run", "lint"],
  ["no unused code", "knip"],
  ["generated files", node, "scripts/generate.ts", "--check"],
  ["ceilings", node, "scripts/ceilings.ts"],
])("%s", { timeout: 300_000 }, async (_title, command, ...args) => {
  const program = startProgram(resolve(root, "node_modules/.bin", command), args, { cwd: root });
  const { code } = await program.ended;
  expect(code, program.text).toBe(0);
});
