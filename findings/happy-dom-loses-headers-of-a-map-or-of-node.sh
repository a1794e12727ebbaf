#!/usr/bin/env bash
# happy-dom 21.0.4: headers from a Map, an iterator, URLSearchParams or the Headers of Node are lost, without an error.
#
# Expected: `new Headers(init)` reads pairs from each iterable, as Node and browsers do.
# What happens: only its own Headers, arrays and plain objects are read. From all others, the result has no headers.
# The Request of @hono/node-server, imported after the DOM, throws the SyntaxError `"undefined" is not valid JSON`.
# Why it matters: in a test with this DOM, a library keeps its API key in a Map or in the Headers of Node.
# The request goes out without a key and without an idempotency key. A proxy in the same test gets an error of JSON.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent happy-dom@21.0.4 @happy-dom/global-registrator@21.0.4 \
  @hono/node-server@2.1.8 hono@4.13.19

cat > check.mjs <<'PROGRAM'
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { get } from "node:http";

import { GlobalRegistrator } from "@happy-dom/global-registrator";

for (const name of ["happy-dom", "@hono/node-server"]) {
  console.log(`${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version}`);
}
const ofNode = { Headers, Request };
const pairs = [["idempotency-key", "key-1"]];
const kinds = {
  array: () => pairs,
  object: () => Object.fromEntries(pairs),
  Map: () => new Map(pairs),
  iterator: () => new Map(pairs).entries(),
  URLSearchParams: () => new URLSearchParams(pairs),
  "Headers of Node": () => new ofNode.Headers(pairs),
};
GlobalRegistrator.register({ url: "http://localhost/" });
for (const [kind, init] of Object.entries(kinds)) {
  const keys = [ofNode.Request, Request].map((type) => {
    return new type("http://localhost/", { headers: init() }).headers.get("idempotency-key");
  });
  console.log(`${kind}: Node ${keys[0]}, happy-dom ${keys[1]}`);
}

const { serve } = await import("@hono/node-server");
const server = serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(incoming) {
    try {
      const request = new Request("http://localhost/", { headers: incoming.headers });
      return new Response(request.headers.get("idempotency-key"));
    } catch (error) {
      return new Response(`${error.name}: ${error.message}`);
    }
  },
});
await once(server, "listening");
const [response] = await once(get({ port: server.address().port, headers: Object.fromEntries(pairs) }), "response");
let text = "";
for await (const chunk of response) text += chunk;
console.log(`headers of @hono/node-server: ${text}`);
server.close();
server.closeAllConnections();
await GlobalRegistrator.unregister();
PROGRAM

cat > expected.txt <<'OUTPUT'
happy-dom 21.0.4
@hono/node-server 2.1.8
array: Node key-1, happy-dom key-1
object: Node key-1, happy-dom key-1
Map: Node key-1, happy-dom null
iterator: Node key-1, happy-dom null
URLSearchParams: Node key-1, happy-dom null
Headers of Node: Node key-1, happy-dom null
headers of @hono/node-server: SyntaxError: "undefined" is not valid JSON
OUTPUT

npx --yes --package=node@24.21.0 -- node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
