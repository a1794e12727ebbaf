#!/usr/bin/env bash
# @mswjs/source 0.5.0 with msw 2.15.0: an image of a HAR file is served as its base64 text.
#
# Expected: a response with `encoding: "base64"` has the decoded bytes as its body, as HAR 1.2 says.
# What happens: the handler sends the base64 text, with the content type image/png and status 200.
# Two recorded POSTs with one URL are answered in the recorded order, whatever their bodies are.
# Why it matters: browsers save each image of a recorded try-on in this way.
# A test that downloads and stores the result stores text, and passes if it checks only status and type.
# A test that submits the garments in another order gets the job of the other garment.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent @mswjs/source@0.5.0 msw@2.15.0

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";

import { fromTraffic } from "@mswjs/source/traffic";
import { setupServer } from "msw/node";

for (const name of ["@mswjs/source", "msw"]) {
  console.log(`${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version}`);
}
const image = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0xff]);
const url = "http://service.test";
const unused = { httpVersion: "HTTP/1.1", cookies: [], headersSize: -1, bodySize: -1 };
function entry(method, path, body, mimeType, content) {
  const headers = [{ name: "Content-Type", value: mimeType }];
  const postData = body && { postData: { mimeType: "application/json", params: [], text: JSON.stringify(body) } };
  return {
    startedDateTime: "2026-05-01T12:00:00.000Z",
    time: 1,
    request: { method, url: url + path, headers: [], queryString: [], ...postData, ...unused },
    response: { status: 200, statusText: "OK", headers, content: { mimeType, ...content }, redirectURL: "", ...unused },
    cache: {},
    timings: { send: 0, wait: 1, receive: 0 },
  };
}
const job = (garment) => {
  const text = JSON.stringify({ job_id: `job_${garment}` });
  return entry("POST", "/tryon", { garment }, "application/json", { size: text.length, text });
};
const result = { size: image.length, encoding: "base64", text: image.toString("base64") };
const entries = [job("shirt"), job("hat"), entry("GET", "/result.png", undefined, "image/png", result)];
const server = setupServer(...fromTraffic({ log: { version: "1.2", creator: { name: "browser", version: "1" }, entries } }));
server.listen({ onUnhandledRequest: "error" });
const response = await fetch(`${url}/result.png`);
const bytes = Buffer.from(await response.arrayBuffer());
const kind = bytes.equals(image) ? "the image" : bytes.toString() === result.text ? "the base64 text" : "something else";
console.log(`GET /result.png: ${response.status} ${response.headers.get("content-type")}, ${kind}, ${bytes.length} of ${image.length} bytes`);
for (const garment of ["hat", "shirt"]) {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${url}/tryon`, { method: "POST", headers, body: JSON.stringify({ garment }) });
  console.log(`POST /tryon ${garment}: ${(await answer.json()).job_id}`);
}
server.close();
PROGRAM

cat > expected.txt <<'OUTPUT'
@mswjs/source 0.5.0
msw 2.15.0
GET /result.png: 200 image/png, the base64 text, 12 of 9 bytes
POST /tryon hat: job_shirt
POST /tryon shirt: job_hat
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
