#!/usr/bin/env bash
# parcel 2.16.4: with scope hoisting, `await import("node:zlib")` becomes a variable that does not exist.
#
# Expected: a bundle for Node loads a module of Node, as the source does.
# What happens: the build succeeds. The bundle names an undeclared variable in place of the import, in CommonJS and in ES modules.
# The function throws a ReferenceError. Without scope hoisting, or with an import at the top of the file, it works.
# Why it matters: a library imports modules of Node late, so that one source also runs in browsers.
# The bundle starts, and fails at the first call that needs the module, perhaps after the try-on was charged.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > package.cjs <<'PROGRAM'
const target = (distDir, outputFormat, scopeHoist) => ({
  ...{ source: ["late.mjs", "top.mjs"], context: "node", sourceMap: false },
  ...{ distDir, outputFormat, scopeHoist },
});
const targets = {
  commonjs: target("commonjs", "commonjs", true),
  "es-module": target("es-module", "esmodule", true),
  "no-hoisting": target("no-hoisting", "commonjs", false),
};
console.log(JSON.stringify({ private: true, engines: { node: ">=20" }, targets }));
PROGRAM
node package.cjs > package.json
npm install --no-audit --no-fund --ignore-scripts --silent parcel@2.16.4

cat > late.mjs <<'PROGRAM'
async function compress(text) {
  const zlib = await import("node:zlib");
  return zlib.gzipSync(text).length > 0;
}
compress("a photo").then(
  () => console.log("compressed"),
  (error) => console.log(`${error.name}: ${error.message.replaceAll(/\$\w+\$importAsync\$\w+/g, "(variable)")}`),
);
PROGRAM
cat > top.mjs <<'PROGRAM'
import { gzipSync } from "node:zlib";

console.log(gzipSync("a photo").length > 0 ? "compressed" : "empty");
PROGRAM

cat > expected.txt <<'OUTPUT'
parcel 2.16.4
source: late compressed, top compressed
commonjs: late ReferenceError: (variable) is not defined, top compressed
es-module: late ReferenceError: (variable) is not defined, top compressed
no-hoisting: late compressed, top compressed
OUTPUT

npx parcel build --no-cache --no-optimize > build.txt 2>&1 || cat build.txt
echo '{ "type": "module" }' > es-module/package.json
{
  echo "parcel $(node -p 'require("parcel/package.json").version')"
  echo "source: late $(node late.mjs), top $(node top.mjs)"
  for format in commonjs es-module no-hoisting; do
    echo "$format: late $(node "$format/late.js"), top $(node "$format/top.js")"
  done
} | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
