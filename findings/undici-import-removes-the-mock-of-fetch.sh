#!/usr/bin/env bash
# undici 8.13.1: in Node 22, an import alone replaces the mock that a test has set for `fetch`.
#
# Expected: an import changes nothing, and `setGlobalDispatcher` holds until the next call of it.
# What happens: undici 6 keeps the dispatcher under a global symbol that ends with 1, and undici 8 under one with 2.
# If an import of undici 8 finds none under its own symbol, it writes a new Agent under both. Node 22 reads the first.
# Node 24 has written both, so the import leaves them. Node 26 reads the second, so the mock has no effect from the start.
# Why it matters: a test mocks the service with undici 6. A dependency imports undici 8, perhaps late and only once.
# From then on, the test submits to the real service and pays, although `disableNetConnect` was called.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent undici@8.13.1 undici-6@npm:undici@6.29.1

cat > check.mjs <<'PROGRAM'
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

import { MockAgent, setGlobalDispatcher } from "undici-6";

const version = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version;
console.log(`Node ${process.version}, undici ${version("undici-6")} and ${version("undici")}`);
const server = createServer((request, response) => response.end("from the service")).listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}`;

await fetch(url).then((response) => response.text()); // From here on, Node has its own dispatcher.
const mock = new MockAgent();
mock.disableNetConnect();
mock.get(url).intercept({ path: "/" }).reply(200, "from the mock").persist();
setGlobalDispatcher(mock);
console.log(`  before the import: ${await (await fetch(url)).text()}`);
await import("undici");
console.log(`  after the import: ${await (await fetch(url)).text()}`);
server.close();
server.closeAllConnections();
PROGRAM

cat > expected.txt <<'OUTPUT'
Node v22.23.3, undici 6.29.1 and 8.13.1
  before the import: from the mock
  after the import: from the service
Node v24.21.0, undici 6.29.1 and 8.13.1
  before the import: from the mock
  after the import: from the mock
Node v26.10.0, undici 6.29.1 and 8.13.1
  before the import: from the service
  after the import: from the service
OUTPUT

for version in 22.23.3 24.21.0 26.10.0; do
  npx --yes --package="node@$version" -- node check.mjs
done | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
