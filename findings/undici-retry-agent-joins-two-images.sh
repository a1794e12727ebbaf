#!/usr/bin/env bash
# undici 7.30.2: RetryAgent joins the halves of two different images into one response.
#
# Expected: after a broken download, the rest is added only if the server proves that the image is the same.
# What happens: without an ETag, the agent asks for the missing range and appends what it gets.
# The caller reads one body with status 200, made of two versions. With an ETag, it sends If-Match.
# Why it matters: a result that the service renders or signs again for each request can have different bytes.
# The app stores an image with the right length, the right header and a damaged second half.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent undici@7.30.2

cat > check.mjs <<'PROGRAM'
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

import { Agent, RetryAgent, request } from "undici";

console.log(`undici ${JSON.parse(readFileSync("node_modules/undici/package.json", "utf8")).version}`);
let requests = [];
const server = createServer((incoming, response) => {
  requests.push(`range ${incoming.headers.range ?? "none"}, if-match ${incoming.headers["if-match"] ?? "none"}`);
  const version = requests.length;
  const image = Buffer.alloc(10, String(version));
  const etag = incoming.url === "/etag" ? { etag: `"v${version}"` } : {};
  if (version === 1) {
    response.writeHead(200, { "content-length": 10, ...etag });
    response.write(image.subarray(0, 5));
    setTimeout(() => response.destroy(), 50);
  } else if (incoming.headers["if-match"]) {
    response.writeHead(412).end();
  } else {
    response.writeHead(206, { "content-range": "bytes 5-9/10", "content-length": 5 }).end(image.subarray(5));
  }
}).listen(0, "127.0.0.1");
await once(server, "listening");
for (const path of ["/etag", "/no-etag"]) {
  requests = [];
  const dispatcher = new RetryAgent(new Agent(), { minTimeout: 10 });
  const { statusCode, body } = await request(`http://127.0.0.1:${server.address().port}${path}`, { dispatcher });
  const text = await body.text().catch(() => "an error");
  console.log(`${path}: ${requests.join("; ")}; status ${statusCode}, body ${text}`);
  await dispatcher.close();
}
server.close();
server.closeAllConnections();
PROGRAM

cat > expected.txt <<'OUTPUT'
undici 7.30.2
/etag: range none, if-match none; range bytes=5-9, if-match "v1"; status 200, body an error
/no-etag: range none, if-match none; range bytes=5-9, if-match none; status 200, body 1111122222
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
