#!/usr/bin/env bash
# base64-arraybuffer 1.0.2: base64 with line breaks decodes to wrong bytes, without an error.
#
# Expected: line breaks are skipped, as by `atob` and `Buffer`, or refused.
# What happens: each line break counts as a character with the value 0, and shifts all bits after it.
# The result is longer than the file, and wrong from the first line break on.
# Why it matters: the command `base64 me.png` breaks lines after 76 characters, as MIME does.
# Such a photo is uploaded as damaged bytes. Its header is in the first line and intact, so checks of the format pass.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent base64-arraybuffer@1.0.2

cat > check.mjs <<'PROGRAM'
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

import { decode } from "base64-arraybuffer";

console.log(`base64-arraybuffer ${JSON.parse(readFileSync("node_modules/base64-arraybuffer/package.json", "utf8")).version}`);
const header = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const file = Buffer.from([...header, ...Array.from({ length: 192 }, (_, index) => index)]);
writeFileSync("me.png", file);
const text = execFileSync("base64", ["me.png"], { encoding: "utf8" });
for (const [name, decoder] of [
  ["atob", (value) => Buffer.from(atob(value), "latin1")],
  ["Buffer", (value) => Buffer.from(value, "base64")],
  ["base64-arraybuffer", (value) => Buffer.from(decode(value))],
]) {
  const bytes = decoder(text);
  const wrong = file.findIndex((value, index) => bytes[index] !== value);
  const isPng = bytes.subarray(0, 8).equals(file.subarray(0, 8));
  console.log(`${name}: ${bytes.length} bytes of ${file.length}, first wrong byte ${wrong}, PNG header ${isPng}`);
}
PROGRAM

cat > expected.txt <<'OUTPUT'
base64-arraybuffer 1.0.2
atob: 200 bytes of 200, first wrong byte -1, PNG header true
Buffer: 200 bytes of 200, first wrong byte -1, PNG header true
base64-arraybuffer: 204 bytes of 200, first wrong byte 57, PNG header true
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
