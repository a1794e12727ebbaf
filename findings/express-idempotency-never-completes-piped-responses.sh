#!/usr/bin/env bash
# express-idempotency 1.0.6 with express 5.3.0: after a response that was not sent with `send`, the key stays "in progress".
#
# Expected: the stored response is sent again, however the app wrote it.
# What happens: the middleware stores what passes through `response.send` and `response.json`.
# An image that the app pipes or ends is never stored. The first request succeeds, and each retry gets 409.
# The same happens after `status(204).end()`.
# Why it matters: a backend for try-ons pipes the image to the browser.
# If this response is lost on the way, no retry under the key gets the image that was paid.
# The only way out is a new key, which is another charged try-on.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent express-idempotency@1.0.6 express@5.3.0

cat > check.mjs <<'PROGRAM'
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Readable } from "node:stream";

import express from "express";
import { getSharedIdempotencyService, idempotency } from "express-idempotency";

for (const name of ["express-idempotency", "express"]) {
  console.log(`${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version}`);
}
const image = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]);
const ways = {
  send: (response) => response.type("png").send(image),
  end: (response) => response.type("png").end(image),
  pipe: (response) => Readable.from([image]).pipe(response.type("png")),
  "status(204).end": (response) => response.status(204).end(),
};
let tryOns = 0;
const app = express();
app.use(express.json());
app.use(idempotency());
app.post("/:way", (request, response) => {
  if (getSharedIdempotencyService().isHit(request)) return;
  tryOns += 1;
  ways[request.params.way](response);
});
app.use((error, request, response, next) => response.type("text").end(error.message));
const server = app.listen(0, "127.0.0.1");
await once(server, "listening");
for (const way of Object.keys(ways)) {
  tryOns = 0;
  const answers = [];
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const headers = { "content-type": "application/json", "idempotency-key": `key-${way}` };
    const url = `http://127.0.0.1:${server.address().port}/${encodeURIComponent(way)}`;
    const response = await fetch(url, { method: "POST", headers, body: "{}" });
    const body = Buffer.from(await response.arrayBuffer());
    answers.push(`${response.status} ${body.equals(image) ? "image" : body.toString() || "empty"}`);
  }
  console.log(`${way}: ${tryOns} try-ons; ${answers.join("; ")}`);
}
server.close();
server.closeAllConnections();
PROGRAM

cat > expected.txt <<'OUTPUT'
express-idempotency 1.0.6
express 5.3.0
send: 1 try-ons; 200 image; 200 image; 200 image
end: 1 try-ons; 200 image; 409 A previous request is still in progress for this key.; 409 A previous request is still in progress for this key.
pipe: 1 try-ons; 200 image; 409 A previous request is still in progress for this key.; 409 A previous request is still in progress for this key.
status(204).end: 1 try-ons; 204 empty; 409 A previous request is still in progress for this key.; 409 A previous request is still in progress for this key.
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
