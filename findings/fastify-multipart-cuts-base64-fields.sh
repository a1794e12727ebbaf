#!/usr/bin/env bash
# @fastify/multipart 10.1.9: a text field of more than 1 MiB is cut, without an error.
#
# Expected: a field that is too long is refused with 413, as a file that is too long is.
# What happens: the field ends after 1,048,576 characters, the handler runs, and nothing in the body shows the cut.
# A file over its limit of the same size gets 413.
# Why it matters: pages often send a photo in base64 as a text field of a form.
# The cut text is valid base64 of a truncated image, since 1,048,576 is a multiple of 4.
# The backend submits half a photo and pays for it.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent @fastify/multipart@10.1.9 fastify@5.12.8

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";

import multipart from "@fastify/multipart";
import Fastify from "fastify";

console.log(`@fastify/multipart ${JSON.parse(readFileSync("node_modules/@fastify/multipart/package.json", "utf8")).version}`);
const app = Fastify();
await app.register(multipart, { attachFieldsToBody: "keyValues", limits: { fileSize: 1_048_576 } });
app.post("/tryon", async ({ body }) => ({
  received: body.person.length,
  isBase64: /^(?:[A-Za-z0-9+/]{4})+$/.test(body.person),
}));
const url = `${await app.listen({ port: 0, host: "127.0.0.1" })}/tryon`;
const photo = Buffer.alloc(1_500_000, "photo");
for (const [title, value] of [["text field", photo.toString("base64")], ["file", new Blob([photo])]]) {
  const form = new FormData();
  form.append("person", value);
  const response = await fetch(url, { method: "POST", body: form });
  const { code, received, isBase64 } = await response.json();
  const size = typeof value === "string" ? value.length : value.size;
  console.log(`${title}: sent ${size}, status ${response.status}, ${code ?? `received ${received}, valid base64 ${isBase64}`}`);
}
await app.close();
PROGRAM

cat > expected.txt <<'OUTPUT'
@fastify/multipart 10.1.9
text field: sent 2000000, status 200, received 1048576, valid base64 true
file: sent 1500000, status 413, FST_REQ_FILE_TOO_LARGE
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
