#!/usr/bin/env bash
# memoizee 0.4.17, fast-memoize 2.5.2, nano-memoize 3.0.16 and @formatjs/fast-memoize 3.1.7: a default value changes the key.
#
# Expected: a cache returns the result of a call with the same arguments.
# What happens: these libraries count arguments by `length` of the function, which ends before the first default value.
# With `(person, garment = "shirt")`, the key lacks the garment. memoizee returns the image of the first garment.
# The other three do not even pass the garment on, so each call gets the shirt.
# With `({ person, garment } = {})` or `(...parts)`, memoizee has one result for all calls of all customers.
# Why it matters: someone adds a default such as the output size, and types and most tests stay green.
# Customers get another garment, or the image of another person.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent memoizee@0.4.17 fast-memoize@2.5.2 nano-memoize@3.0.16 @formatjs/fast-memoize@3.1.7 moize@6.1.7

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";

import { memoize as formatjs } from "@formatjs/fast-memoize";
import fastMemoize from "fast-memoize";
import memoizee from "memoizee";
import moize from "moize";
import nano from "nano-memoize";

const memoizers = {
  memoizee: (tryOn) => memoizee(tryOn, { promise: true }),
  "fast-memoize": fastMemoize,
  "nano-memoize": nano.nanomemoize,
  "@formatjs/fast-memoize": formatjs,
  moize: moize.default ?? moize,
};
for (const name of Object.keys(memoizers)) {
  console.log(`${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version}`);
}
const image = (person, garment) => `${person} in ${garment}`;
const positional = (tryOn) => (person, garment) => tryOn(person, garment);
const functions = {
  "(person, garment)": [async (person, garment) => image(person, garment), positional],
  '(person, garment = "shirt")': [async (person, garment = "shirt") => image(person, garment), positional],
  "(...parts)": [async (...parts) => image(...parts), positional],
  "({ person, garment } = {})": [
    async ({ person, garment } = {}) => image(person, garment),
    (tryOn) => (person, garment) => tryOn({ person, garment }),
  ],
};
console.log("Asked for: anna in hat, anna in coat, ben in hat");
for (const [signature, [tryOn, callerOf]] of Object.entries(functions)) {
  for (const [name, memoize] of Object.entries(memoizers)) {
    const call = callerOf(memoize(tryOn));
    const images = [await call("anna", "hat"), await call("anna", "coat"), await call("ben", "hat")];
    console.log(`${signature}, ${name}: ${images.join(", ")}`);
  }
}
PROGRAM

cat > expected.txt <<'OUTPUT'
memoizee 0.4.17
fast-memoize 2.5.2
nano-memoize 3.0.16
@formatjs/fast-memoize 3.1.7
moize 6.1.7
Asked for: anna in hat, anna in coat, ben in hat
(person, garment), memoizee: anna in hat, anna in coat, ben in hat
(person, garment), fast-memoize: anna in hat, anna in coat, ben in hat
(person, garment), nano-memoize: anna in hat, anna in coat, ben in hat
(person, garment), @formatjs/fast-memoize: anna in hat, anna in coat, ben in hat
(person, garment), moize: anna in hat, anna in coat, ben in hat
(person, garment = "shirt"), memoizee: anna in hat, anna in hat, ben in hat
(person, garment = "shirt"), fast-memoize: anna in shirt, anna in shirt, ben in shirt
(person, garment = "shirt"), nano-memoize: anna in shirt, anna in shirt, ben in shirt
(person, garment = "shirt"), @formatjs/fast-memoize: anna in shirt, anna in shirt, ben in shirt
(person, garment = "shirt"), moize: anna in hat, anna in coat, ben in hat
(...parts), memoizee: anna in hat, anna in hat, anna in hat
(...parts), fast-memoize: anna in hat, anna in coat, ben in hat
(...parts), nano-memoize: anna in hat, anna in coat, ben in hat
(...parts), @formatjs/fast-memoize: anna in hat, anna in coat, ben in hat
(...parts), moize: anna in hat, anna in coat, ben in hat
({ person, garment } = {}), memoizee: anna in hat, anna in hat, anna in hat
({ person, garment } = {}), fast-memoize: anna in hat, anna in coat, ben in hat
({ person, garment } = {}), nano-memoize: anna in hat, anna in coat, ben in hat
({ person, garment } = {}), @formatjs/fast-memoize: anna in hat, anna in coat, ben in hat
({ person, garment } = {}), moize: anna in hat, anna in coat, ben in hat
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
