#!/usr/bin/env bash
# csv-stringify 6.9.0 with csv-parse 7.0.3: `false` is written as an empty field.
#
# Expected: `false` is written as false or 0, and is different from a missing value.
# What happens: `true` becomes 1, and `false`, `null`, `undefined` and "" all become an empty field.
# A Date becomes its number of milliseconds.
# Why it matters: a batch with `wait: false` is read back without a value.
# The service then uses its default, `true`.
# In a report, `refunded: false` and an unknown refund look the same.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent csv-stringify@6.9.0 csv-parse@7.0.3

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";

import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";

for (const name of ["csv-stringify", "csv-parse"]) {
  console.log(`${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version}`);
}
const rows = [
  { id: "a", wait: true, refunded: true, created: new Date(1_700_000_000_000) },
  { id: "b", wait: false, refunded: false, created: null },
  { id: "c", wait: undefined, refunded: null, created: "" },
];
const csv = stringify(rows, { header: true });
console.log(csv.trim());
for (const row of parse(csv, { columns: true })) console.log(JSON.stringify(row));
PROGRAM

cat > expected.txt <<'OUTPUT'
csv-stringify 6.9.0
csv-parse 7.0.3
id,wait,refunded,created
a,1,1,1700000000000
b,,,
c,,,
{"id":"a","wait":"1","refunded":"1","created":"1700000000000"}
{"id":"b","wait":"","refunded":"","created":""}
{"id":"c","wait":"","refunded":"","created":""}
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
