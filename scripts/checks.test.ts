import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

import { expect, it } from "vitest";

import { node, root } from "@tryon/test-kit/repository";
import { startProgram } from "@tryon/test-kit/start-program";
import { filesIn } from "./words.ts";

it.concurrent.each([
  ["types, lint and format", node, "--run", "lint"],
  ["no unused code", "knip"],
  ["generated files", node, "--conditions=@tryon/source", "scripts/generate.ts", "--check"],
  ["ceilings", node, "scripts/ceilings.ts"],
])("%s", { timeout: 300_000 }, async (_title, command, ...args) => {
  const program = startProgram(resolve(root, "node_modules/.bin", command), args, { cwd: root });
  const { code } = await program.ended;
  expect(code, program.text).toBe(0);
});

it("has findings that run by themselves, about pinned packages of others", () => {
  const problems = filesIn("findings").flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const parts = {
      "a name in lower case": /^findings\/[a-z\d-]+\.sh$/.test(file),
      "an executable mode": (statSync(join(root, file)).mode & 0o111) !== 0,
      "bash that stops at an error": /^#!\/usr\/bin\/env bash\n[^]*^set -eu/m.test(text),
      "a temporary folder that is removed":
        text.includes("mktemp -d") && /^trap .*rm -rf .* EXIT$/m.test(text),
      "a pinned version": /[\w/-]+(?:@|==)\d+\.\d+/.test(text),
      "no package of ours": !/@tryon\/|packages\//.test(text),
    };
    return Object.entries(parts).flatMap(([part, isThere]) =>
      isThere ? [] : [`${file} needs ${part}`],
    );
  });
  expect(problems).toEqual([]);
});

it("imports no file of another package by its path", () => {
  const climbing = filesIn("*.ts", "*.tsx", "*.mts", "*.cts").flatMap((file) => {
    const [folder = ""] = /^(?:(?:packages|examples)\/[^/]+|docs|spec)\//.exec(file) ?? [];
    const text = readFileSync(join(root, file), "utf8");
    const paths = text.matchAll(/(?:^|[\s}])(?:from|import\(?) ?"(\.\.[^"]+)"/g);
    const wrong = [...paths].filter(([, path = ""]) => !join(file, "..", path).startsWith(folder));
    return wrong.map(([statement]) => `${file}: ${statement}`);
  });
  expect(climbing).toEqual([]);
});
