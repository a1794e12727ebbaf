#!/usr/bin/env bash
# lambda-multipart-parser 1.0.1: of several fields with one name, only the last one is left.
#
# Expected: a form may repeat a name, as `FormData.append` does, and the parser gives a list.
# What happens: each field replaces the one before it. Files with one name are all kept.
# Why it matters: a form with three garment URLs becomes a try-on of the last garment.
# It is charged, and nothing in the event shows that two garments are missing.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent lambda-multipart-parser@1.0.1

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";

import parser from "lambda-multipart-parser";

console.log(`lambda-multipart-parser ${JSON.parse(readFileSync("node_modules/lambda-multipart-parser/package.json", "utf8")).version}`);
async function parse(form) {
  const request = new Request("http://localhost/", { method: "POST", body: form });
  const body = Buffer.from(await request.arrayBuffer()).toString("base64");
  return parser.parse({ headers: { "content-type": request.headers.get("content-type") }, body, isBase64Encoded: true });
}
const form = new FormData();
for (const name of ["shirt", "jacket", "coat"]) {
  form.append("garment_urls", `https://shop.example/${name}.jpg`);
  form.append("garment_images", new Blob(["image"]), `${name}.jpg`);
}
const { files, garment_urls: urls } = await parse(form);
console.log(`files: ${files.map(({ filename }) => filename).join(", ")}`);
console.log(`garment_urls: ${JSON.stringify(urls)}`);
PROGRAM

cat > expected.txt <<'OUTPUT'
lambda-multipart-parser 1.0.1
files: shirt.jpg, jacket.jpg, coat.jpg
garment_urls: "https://shop.example/coat.jpg"
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
