#!/usr/bin/env bash
# csv-parse 7.0.3: the first line break of a file decides for all others.
#
# Expected: a file whose header ends with CRLF, and whose rows end with LF, has one record per row, as in spreadsheets.
# What happens: all rows become one record with line breaks in its value, without an error. The other way round, each value
# keeps a CR, and `info.lines` counts each line twice.
# Why it matters: an editor or a script that appends rows to a file of another system mixes line breaks. With
# `record_delimiter: ["\r\n", "\n", "\r"]` all rows are read.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent csv-parse@7.0.3

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";

import { parse } from "csv-parse/sync";

console.log(`csv-parse ${JSON.parse(readFileSync("node_modules/csv-parse/package.json", "utf8")).version}`);
const files = {
  "LF everywhere": "sku\na\nb\nc\n",
  "CRLF, then LF": "sku\r\na\nb\nc\n",
  "LF, then CRLF": "sku\na\r\nb\r\nc\r\n",
};
for (const [name, text] of Object.entries(files)) {
  for (const record_delimiter of [[], ["\r\n", "\n", "\r"]]) {
    const records = parse(text, { columns: true, info: true, record_delimiter });
    const shown = records.map(({ record, info }) => [record.sku, info.lines]);
    console.log(`${name}, ${record_delimiter.length} delimiters: ${JSON.stringify(shown)}`);
  }
}
PROGRAM

node check.mjs | tee actual.txt
diff - actual.txt <<'OUTPUT'
csv-parse 7.0.3
LF everywhere, 0 delimiters: [["a",2],["b",3],["c",4]]
LF everywhere, 3 delimiters: [["a",2],["b",3],["c",4]]
CRLF, then LF, 0 delimiters: [["a\nb\nc\n",4]]
CRLF, then LF, 3 delimiters: [["a",2],["b",3],["c",4]]
LF, then CRLF, 0 delimiters: [["a\r",3],["b\r",5],["c\r",7]]
LF, then CRLF, 3 delimiters: [["a",2],["b",3],["c",4]]
OUTPUT
echo "The behavior is as described."
