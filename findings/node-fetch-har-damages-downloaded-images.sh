#!/usr/bin/env bash
# node-fetch-har 1.0.1: the recorder damages the images that the app downloads.
#
# Expected: a recorder reads a copy, and the app gets the bytes that the server sent.
# What happens: it reads each body as UTF-8 text and gives the app a response made of that text.
# Each byte that is not valid UTF-8 becomes a replacement character of three bytes.
# Why it matters: with the recorder, each result image on disk is broken.
# The status is 200, and nothing throws.
# The try-on is charged, and its image cannot be restored from the HAR.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent node-fetch-har@1.0.1 node-fetch@2.7.0

cat > check.mjs <<'PROGRAM'
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

import fetch from "node-fetch";
import { createHarLog, withHar } from "node-fetch-har";

console.log(`node-fetch-har ${JSON.parse(readFileSync("node_modules/node-fetch-har/package.json", "utf8")).version}`);
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const server = createServer((request, response) => {
  response.writeHead(200, { "content-type": "image/png", "content-length": png.length }).end(png);
}).listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}/result.png`;
const har = createHarLog();
for (const [title, request] of [["without recorder", fetch], ["with recorder", withHar(fetch, { har })]]) {
  const bytes = await (await request(url)).buffer();
  console.log(`${title}: sent ${png.length} bytes, got ${bytes.length}, equal: ${bytes.equals(png)}`);
}
const { mimeType, encoding } = har.log.entries[0].response.content;
console.log(`content in the HAR: ${mimeType}, encoding ${encoding}`);
server.close();
server.closeAllConnections();
PROGRAM

cat > expected.txt <<'OUTPUT'
node-fetch-har 1.0.1
without recorder: sent 70 bytes, got 70, equal: true
with recorder: sent 70 bytes, got 86, equal: false
content in the HAR: image/png, encoding undefined
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
