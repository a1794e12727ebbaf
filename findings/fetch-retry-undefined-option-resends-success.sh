#!/usr/bin/env bash
# fetch-retry 6.0.0: `retryOn: undefined` sends a successful POST again.
#
# Expected: an option that is undefined has its default, so a response with 200 is final.
# What happens: the wrapper replaces its default list by undefined and retries every response, also a 200.
# A config object without a value for `retryOn` is enough. On a single call, the same value is ignored.
# Why it matters: one try-on becomes four submissions. Each is charged unless an idempotency key protects it.
# The caller gets the last response and no error, so only the bill shows it.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent fetch-retry@6.0.0

cat > check.mjs <<'PROGRAM'
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

import fetchRetry from "fetch-retry";

console.log(`fetch-retry ${JSON.parse(readFileSync("node_modules/fetch-retry/package.json", "utf8")).version}`);
let charges = 0;
const server = createServer(async (request, response) => {
  for await (const chunk of request) void chunk;
  charges += 1;
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ job: `job-${charges}` }));
}).listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}/tryon`;

const settings = {}; // An app that sets no value for retryOn.
for (const [title, options] of [
  ["without retryOn", { retries: 3, retryDelay: 1 }],
  ["with retryOn: undefined", { retries: 3, retryDelay: 1, retryOn: settings.retryOn }],
]) {
  charges = 0;
  const response = await fetchRetry(fetch, options)(url, { method: "POST", body: "{}" });
  console.log(`${title}: status ${response.status}, ${charges} charges, caller gets ${(await response.json()).job}`);
}
server.close();
server.closeAllConnections();
PROGRAM

cat > expected.txt <<'OUTPUT'
fetch-retry 6.0.0
without retryOn: status 200, 1 charges, caller gets job-1
with retryOn: undefined: status 200, 4 charges, caller gets job-4
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
