#!/usr/bin/env bash
# node-fetch 2.7.0 and cross-fetch 4.1.0: an upload with the FormData of Node sends 17 characters of text, without an error.
#
# Expected: the body that the caller passes, or an error.
# What happens: a FormData or a ReadableStream of Node becomes the text of its type name. The request succeeds.
# A Blob or a File of Node throws a TypeError of an inner method. Only bytes and the URLSearchParams of Node are sent.
# Why it matters: an app on a current Node still gets these packages from a dependency or as a polyfill.
# A service that stores what it gets stores "[object FormData]" in place of the photo.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent node-fetch@2.7.0 cross-fetch@4.1.0

cat > check.mjs <<'PROGRAM'
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

import crossFetch from "cross-fetch";
import nodeFetch from "node-fetch";

for (const name of ["node-fetch", "cross-fetch"]) {
  console.log(`${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version}`);
}
const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("latin1");
  const photo = text.includes("the photo") ? "photo" : `"${text}"`;
  response.end(`${photo} as ${request.headers["content-type"]?.split(";")[0] ?? "no type"}`);
}).listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}`;

const photo = new Blob(["the photo"], { type: "image/png" });
const form = new FormData();
form.append("person", photo, "person.png");
const bodies = {
  Uint8Array: () => new TextEncoder().encode("the photo"),
  FormData: () => form,
  ReadableStream: () => photo.stream(),
  Blob: () => photo,
};
for (const [kind, body] of Object.entries(bodies)) {
  for (const [name, send] of Object.entries({ Node: fetch, "node-fetch": nodeFetch, "cross-fetch": crossFetch })) {
    const result = await send(url, { method: "POST", body: body(), duplex: "half" }).then(
      (response) => response.text(),
      (error) => `${error.name}: ${error.message}`,
    );
    console.log(`${kind}, ${name}: ${result}`);
  }
}
server.close();
server.closeAllConnections();
PROGRAM

cat > expected.txt <<'OUTPUT'
node-fetch 2.7.0
cross-fetch 4.1.0
Uint8Array, Node: photo as no type
Uint8Array, node-fetch: photo as no type
Uint8Array, cross-fetch: photo as no type
FormData, Node: photo as multipart/form-data
FormData, node-fetch: "[object FormData]" as text/plain
FormData, cross-fetch: "[object FormData]" as text/plain
ReadableStream, Node: photo as no type
ReadableStream, node-fetch: "[object ReadableStream]" as text/plain
ReadableStream, cross-fetch: "[object ReadableStream]" as text/plain
Blob, Node: photo as image/png
Blob, node-fetch: TypeError: body.stream(...).pipe is not a function
Blob, cross-fetch: TypeError: body.stream(...).pipe is not a function
OUTPUT

NODE_NO_WARNINGS=1 node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
