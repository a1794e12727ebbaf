#!/usr/bin/env bash
# openapi-fetch 0.17.0: an error response without a body gives no `error`.
#
# Expected: `error` is set for each 4xx and 5xx, since its guide checks `if (error)`.
# What happens: with `Content-Length: 0`, `error` is undefined. With a chunked empty body it is "", which is false, too.
# `data` is undefined in both cases.
# Why it matters: gateways often answer 502, 503 and 504 without a body.
# The app takes a failed submission for a success and finds no job id.
# It loses a job that the service may have charged.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent openapi-fetch@0.17.0

cat > check.mjs <<'PROGRAM'
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

import createClient from "openapi-fetch";

console.log(`openapi-fetch ${JSON.parse(readFileSync("node_modules/openapi-fetch/package.json", "utf8")).version}`);
const server = createServer((request, response) => {
  request.resume();
  if (request.url === "/length-0") response.writeHead(502, { "content-length": 0 }).end();
  else if (request.url === "/chunked") response.writeHead(503, { "transfer-encoding": "chunked" }).end();
  else response.writeHead(402, { "content-type": "application/json" }).end('{"detail":"no credits"}');
}).listen(0, "127.0.0.1");
await once(server, "listening");
const client = createClient({ baseUrl: `http://127.0.0.1:${server.address().port}` });
for (const path of ["/json", "/length-0", "/chunked"]) {
  const { data, error, response } = await client.POST(path, { body: {} });
  const branch = error ? "error branch" : "success branch";
  console.log(`${path}: status ${response.status}, error ${JSON.stringify(error)}, data ${data}: ${branch}`);
}
server.close();
server.closeAllConnections();
PROGRAM

cat > expected.txt <<'OUTPUT'
openapi-fetch 0.17.0
/json: status 402, error {"detail":"no credits"}, data undefined: error branch
/length-0: status 502, error undefined, data undefined: success branch
/chunked: status 503, error "", data undefined: success branch
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
