#!/usr/bin/env bash
# formidable 3.5.4: an upload in base64 with line breaks is stored as a damaged file, without an error.
#
# Expected: a part with `Content-Transfer-Encoding: base64` is decoded, refused, or stored as it came.
# MIME (RFC 2045) asks for a line break after at most 76 characters, and for readers that skip them.
# What happens: formidable decodes piece by piece, and counts the line breaks as characters of base64.
# The file lacks bytes, and the place depends on the chunks of the network. Without line breaks, it is correct.
# multiparty 4.3.1 and undici 7.30.2 decode both forms. busboy 1.6.0 stores the base64 text as the image.
# Why it matters: programs that build a form with a MIME library send photos in this way.
# The start of the file is intact, so checks of the format pass. A photo with wrong pixels is submitted and charged.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent formidable@3.5.4 multiparty@4.3.1 busboy@1.6.0 undici@7.30.2

cat > check.mjs <<'PROGRAM'
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Readable } from "node:stream";

import busboy from "busboy";
import formidable from "formidable";
import multiparty from "multiparty";
import { Response } from "undici";

for (const name of ["formidable", "multiparty", "busboy", "undici"]) {
  console.log(`${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version}`);
}
const photo = Buffer.from(Array.from({ length: 30_000 }, (_, index) => (index * index) % 251));
const boundary = "boundary";
const contentType = `multipart/form-data; boundary=${boundary}`;
function bodyOf(text) {
  const lines = [
    `--${boundary}`,
    'Content-Disposition: form-data; name="photo"; filename="me.png"',
    "Content-Type: image/png",
    "Content-Transfer-Encoding: base64",
    "",
    text,
    `--${boundary}--`,
    "",
  ];
  return Buffer.from(lines.join("\r\n"));
}
function requestOf(body, chunkSize) {
  const count = Math.ceil(body.length / chunkSize);
  const chunks = Array.from({ length: count }, (_, index) => body.subarray(index * chunkSize, (index + 1) * chunkSize));
  const headers = { "content-type": contentType, "content-length": String(body.length) };
  return Object.assign(Readable.from(chunks), { headers });
}
async function bytesOf(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
const parsers = {
  formidable: async (request) => {
    const [, files] = await formidable({ uploadDir: "." }).parse(request);
    return readFileSync(files.photo[0].filepath);
  },
  multiparty: (request) =>
    new Promise((resolve, reject) => {
      const form = new multiparty.Form();
      form.on("error", reject).on("part", (part) => resolve(bytesOf(part)));
      form.parse(request);
    }),
  busboy: async (request) => {
    const parser = busboy({ headers: request.headers });
    const file = once(parser, "file");
    request.pipe(parser);
    const [, stream] = await file;
    return bytesOf(stream);
  },
  undici: async (request) => {
    const form = await new Response(await bytesOf(request), { headers: request.headers }).formData();
    return Buffer.from(await form.get("photo").arrayBuffer());
  },
};
function describe(bytes, text) {
  if (bytes.equals(photo)) return "the photo";
  if (bytes.equals(Buffer.from(text))) return "the base64 text";
  return `${bytes.length} of ${photo.length} bytes, wrong from byte ${bytes.findIndex((byte, index) => byte !== photo[index])}`;
}
const base64 = photo.toString("base64");
const texts = { "one line": base64, "lines of 76 characters": base64.replace(/.{76}/g, "$&\r\n") };
for (const [title, text] of Object.entries(texts)) {
  for (const [name, parse] of Object.entries(parsers)) {
    const results = [];
    for (const chunkSize of [65_536, 1_460]) {
      const result = await parse(requestOf(bodyOf(text), chunkSize)).then((bytes) => describe(bytes, text), () => "an error");
      results.push(`chunks of ${chunkSize}: ${result}`);
    }
    console.log(`${title}, ${name}, ${results.join("; ")}`);
  }
}
PROGRAM

cat > expected.txt <<'OUTPUT'
formidable 3.5.4
multiparty 4.3.1
busboy 1.6.0
undici 7.30.2
one line, formidable, chunks of 65536: the photo; chunks of 1460: the photo
one line, multiparty, chunks of 65536: the photo; chunks of 1460: the photo
one line, busboy, chunks of 65536: the base64 text; chunks of 1460: the base64 text
one line, undici, chunks of 65536: the photo; chunks of 1460: the photo
lines of 76 characters, formidable, chunks of 65536: 29999 of 30000 bytes, wrong from byte 6724; chunks of 1460: 29988 of 30000 bytes, wrong from byte 2032
lines of 76 characters, multiparty, chunks of 65536: the photo; chunks of 1460: the photo
lines of 76 characters, busboy, chunks of 65536: the base64 text; chunks of 1460: the base64 text
lines of 76 characters, undici, chunks of 65536: the photo; chunks of 1460: the photo
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
