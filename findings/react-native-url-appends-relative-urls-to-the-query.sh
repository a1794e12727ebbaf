#!/usr/bin/env bash
# react-native 0.88.1: `new URL(relative, base)` appends the text to the base, even to its query, and accepts any text as a URL.
#
# Expected: the URL class of the standard, as in Node and browsers.
# What happens: a relative URL becomes a further part of the base. A URL with a host such as `my_host` counts as relative.
# `origin` has the user and the password, or the query. A host that is not in lower case keeps its case.
# Reading `searchParams` writes the query again in another form.
# Why it matters: an app resolves the URL of an image against the URL of its job and loads another one.
# A check of `origin` fails for the right service. A signed URL that the app has only read can lose its signature.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent flow-remove-types@2.336.0 esbuild@0.28.2 invariant@2.2.4
npm pack --silent react-native@0.88.1 > /dev/null # Without its dependencies: the class needs only `invariant`.
tar -xzf react-native-0.88.1.tgz

cat > build.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";

import { build } from "esbuild";
import flowRemoveTypes from "flow-remove-types";

const flow = {
  name: "flow",
  setup(bundle) {
    bundle.onLoad({ filter: /package\/.*\.js$/ }, ({ path }) => ({
      contents: flowRemoveTypes(readFileSync(path, "utf8"), { all: true }).toString(),
      loader: "jsx",
    }));
  },
};
await build({
  entryPoints: ["package/Libraries/Blob/URL.js"], // The global URL of an app, as setUpXHR.js sets it.
  bundle: true,
  format: "esm",
  outfile: "url.mjs",
  define: { __DEV__: "false", global: "globalThis" },
  plugins: [flow],
});
PROGRAM

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";

globalThis.nativeModuleProxy = {}; // An app that has no native module for blobs.
const { URL: UrlOfReactNative } = await import("./url.mjs");

console.log(`react-native ${JSON.parse(readFileSync("package/package.json", "utf8")).version}`);
const cases = [
  ["href", "/images/1.png", "https://api.example/tryons/job-1?wait=true"],
  ["href", "1.png", "https://api.example/tryons/job-1.json"],
  ["href", "?page=2", "https://api.example/tryons?page=1"],
  ["href", "http://my_host/1.png", "https://api.example/"],
  ["href", "a photo"],
  ["origin", "https://user:word@api.example/tryons"],
  ["origin", "https://api.example?page=1"],
  ["hostname", "https://API.example/tryons"],
  ["port", "https://api.example/tryons?at=10:30"],
];
for (const [property, ...input] of cases) {
  const results = [URL, UrlOfReactNative].map((type) => {
    try {
      return `"${new type(...input)[property]}"`;
    } catch (error) {
      return error.name;
    }
  });
  console.log(`${property} of ${input.join(" at ")}\n  Node ${results[0]}, React Native ${results[1]}`);
}
const signed = "https://images.example/1.png?name=my%20photo&flag&signature=a~b";
const hrefs = [URL, UrlOfReactNative].map((type) => {
  const url = new type(signed);
  url.searchParams.get("name");
  return url.href;
});
console.log(`${signed} after a read of searchParams\n  Node ${hrefs[0]}\n  React Native ${hrefs[1]}`);
PROGRAM

cat > expected.txt <<'OUTPUT'
react-native 0.88.1
href of /images/1.png at https://api.example/tryons/job-1?wait=true
  Node "https://api.example/images/1.png", React Native "https://api.example/tryons/job-1?wait=true/images/1.png"
href of 1.png at https://api.example/tryons/job-1.json
  Node "https://api.example/tryons/1.png", React Native "https://api.example/tryons/job-1.json/1.png"
href of ?page=2 at https://api.example/tryons?page=1
  Node "https://api.example/tryons?page=2", React Native "https://api.example/tryons?page=1/?page=2"
href of http://my_host/1.png at https://api.example/
  Node "http://my_host/1.png", React Native "https://api.example/http://my_host/1.png"
href of a photo
  Node TypeError, React Native "a photo"
origin of https://user:word@api.example/tryons
  Node "https://api.example", React Native "https://user:word@api.example"
origin of https://api.example?page=1
  Node "https://api.example", React Native "https://api.example?page=1"
hostname of https://API.example/tryons
  Node "api.example", React Native "API.example"
port of https://api.example/tryons?at=10:30
  Node "", React Native "30"
https://images.example/1.png?name=my%20photo&flag&signature=a~b after a read of searchParams
  Node https://images.example/1.png?name=my%20photo&flag&signature=a~b
  React Native https://images.example/1.png?name=my+photo&flag=&signature=a%7Eb
OUTPUT

node build.mjs
node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
