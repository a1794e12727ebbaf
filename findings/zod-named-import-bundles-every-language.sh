#!/usr/bin/env bash
# zod 4.6.7 and esbuild 0.28.2: `import { z } from "zod"` bundles the messages of every language.
#
# Expected: both forms of the import that zod shows give about the same bundle.
# What happens: the named import is five times as large. `z` is a namespace, and esbuild keeps all of it, with `z.locales`.
# Why it matters: the bundle of a command grew by 60 kB, compressed, until it imported the namespace itself.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent zod@4.6.7 esbuild@0.28.2

cat > check.mjs <<'PROGRAM'
import { build } from "esbuild";
import { readFileSync } from "node:fs";

const { version } = JSON.parse(readFileSync("node_modules/zod/package.json", "utf8"));
console.log(`zod ${version}`);
const code = "console.log(z.object({ id: z.string() }).parse({ id: 'a' }));";
for (const form of ["{ z }", "* as z"]) {
  const contents = `import ${form} from "zod"; ${code}`;
  const options = { bundle: true, minify: true, write: false, format: "esm", platform: "node" };
  const { outputFiles } = await build({ stdin: { contents, resolveDir: "." }, ...options });
  const [{ text }] = outputFiles;
  console.log(`import ${form}: ${Math.round(text.length / 1_000)} kB, Finnish: ${text.includes("Virheellinen")}`);
}
PROGRAM

node check.mjs | tee actual.txt
if grep -q "{ z }: .* true" actual.txt && grep -q "\\* as z: .* false" actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
