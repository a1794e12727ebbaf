#!/usr/bin/env bash
# json-2-csv 5.6.0: the last line break becomes part of the last value, and missing values become the word undefined.
#
# Expected: a line break at the end of the file changes no value. RFC 4180 allows it.
# What happens: the last unquoted field of the last row ends in "\n". All other rows are correct.
# In the other direction, a field that a row lacks is written as `undefined`, and a null as `null`.
# Why it matters: the garment URL, id or size of one row has a line break.
# That row of a batch fails, or gets another key.
# A file of rows written with this library sends the prompt "undefined" to the paid model.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent json-2-csv@5.6.0

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";

import { csv2json, json2csv } from "json-2-csv";

console.log(`json-2-csv ${JSON.parse(readFileSync("node_modules/json-2-csv/package.json", "utf8")).version}`);
const csv = "person,size\nanna.jpg,2K\nben.jpg,4K\n";
for (const row of csv2json(csv)) console.log(JSON.stringify(row));
console.log("without the last line break:");
for (const row of csv2json(csv.trim())) console.log(JSON.stringify(row));
console.log("written:");
console.log(json2csv([{ person: "anna.jpg", prompt: "red" }, { person: "ben.jpg" }, { person: "carl.jpg", prompt: null }]));
PROGRAM

cat > expected.txt <<'OUTPUT'
json-2-csv 5.6.0
{"person":"anna.jpg","size":"2K"}
{"person":"ben.jpg","size":"4K\n"}
without the last line break:
{"person":"anna.jpg","size":"2K"}
{"person":"ben.jpg","size":"4K"}
written:
person,prompt
anna.jpg,red
ben.jpg,undefined
carl.jpg,null
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
