#!/usr/bin/env bash
# udsv 0.7.3 and exceljs 4.4.0: article numbers of a CSV file become NaN, other numbers or dates.
#
# Expected: a value that does not fit a guessed type stays text, or the reader throws.
# What happens: udsv guesses the type of a column from the first rows.
# A later "20A1" becomes NaN, and "00123" becomes 123. With "20A1" in the first rows, both stay text.
# exceljs converts each value on its own: "12E4" is 120000, "0x1F" is 31, and a field with one space is 0.
# "2026-05-01" is a date in the time zone of the machine. "#N/A" is an object.
# Why it matters: catalogs contain such article numbers, and a batch uses them as ids or idempotency keys.
# Two garments that are both NaN share one key, so the second one gets the image of the first.
# An empty seed becomes the valid seed 0, and all images of the batch are alike.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent udsv@0.7.3 exceljs@4.4.0

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import { Readable } from "node:stream";

import ExcelJS from "exceljs";
import { inferSchema, initParser } from "udsv";

for (const name of ["udsv", "exceljs"]) {
  console.log(`${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version}`);
}
const numbers = Array.from({ length: 10 }, (_, index) => String(1000 + index));
for (const count of [8, 10]) {
  const lines = ["sku,garment", ...[...numbers.slice(0, count), "20A1", "7B33", "00123"].map((sku) => `${sku},shirt`)];
  const csv = `${lines.join("\n")}\n`;
  const rows = initParser(inferSchema(csv)).typedObjs(csv);
  const skus = rows.slice(count).map(({ sku }) => (typeof sku === "string" ? JSON.stringify(sku) : String(sku)));
  console.log(`udsv, after ${count} rows with digits: 20A1, 7B33, 00123 -> ${skus.join(", ")}`);
}

const fields = ["00123", "12E4", "0x1F", "2026-05-01", "#N/A", "12-34", " "];
const workbook = new ExcelJS.Workbook();
const sheet = await workbook.csv.read(Readable.from([`garment,sku\n${fields.map((field) => `shirt,${field}`).join("\n")}\n`]));
for (const [index, field] of fields.entries()) {
  const { value } = sheet.getRow(index + 2).getCell(2);
  console.log(`exceljs: "${field}" -> ${value instanceof Date ? "a date" : JSON.stringify(value)}`);
}
PROGRAM

cat > expected.txt <<'OUTPUT'
udsv 0.7.3
exceljs 4.4.0
udsv, after 8 rows with digits: 20A1, 7B33, 00123 -> "20A1", "7B33", "00123"
udsv, after 10 rows with digits: 20A1, 7B33, 00123 -> NaN, NaN, 123
exceljs: "00123" -> 123
exceljs: "12E4" -> 120000
exceljs: "0x1F" -> 31
exceljs: "2026-05-01" -> a date
exceljs: "#N/A" -> {"error":"#N/A"}
exceljs: "12-34" -> "12-34"
exceljs: " " -> 0
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
