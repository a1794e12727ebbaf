#!/usr/bin/env bash
# async-cache-dedupe 3.4.0 and hash-it 7.0.2: two photos have the same cache key, so one person gets the image of the other.
#
# Expected: a key covers the whole input, or a photo as a Blob is refused.
# What happens: async-cache-dedupe writes its argument as JSON for the key. Each Blob and File in it is {}.
# The second call returns the first image without a call to the function, also while the first call is in progress.
# hash-it gives one hash to all File objects, and one to all FormData objects. It tells Blobs apart.
# Why it matters: both calls succeed, and the shop shows a customer the body of a stranger.
# object-hash 3.0.0 refuses a FormData, and ohash 2.0.12 refuses a File, so their users notice.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent async-cache-dedupe@3.4.0 hash-it@7.0.2 object-hash@3.0.0 ohash@2.0.12

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";

import { createCache } from "async-cache-dedupe";
import { hash as hashIt } from "hash-it";
import objectHash from "object-hash";
import { hash as ohash } from "ohash";

for (const name of ["async-cache-dedupe", "hash-it", "object-hash", "ohash"]) {
  console.log(`${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version}`);
}
const photos = {
  Blob: (text) => new Blob([text]),
  File: (text) => new File([text], `${text}.jpg`),
  Uint8Array: (text) => new TextEncoder().encode(text),
};
const textOf = (photo) => new Response(photo).text();
for (const [type, photoOf] of Object.entries(photos)) {
  for (const inTurn of [true, false]) {
    let tryOns = 0;
    const cache = createCache({ ttl: 60 });
    cache.define("tryOn", async ({ photo }) => {
      tryOns += 1;
      return `image of ${await textOf(photo)}`;
    });
    const submit = (person) => cache.tryOn({ photo: photoOf(person), garment: "shirt" });
    const first = submit("anna");
    if (inTurn) await first;
    const images = await Promise.all([first, submit("benjamin")]);
    console.log(
      `async-cache-dedupe, ${type}, ${inTurn ? "in turn" : "at once"}: ${tryOns} try-ons; anna -> ${images[0]}; benjamin -> ${images[1]}`,
    );
  }
}
const formOf = (text) => {
  const form = new FormData();
  form.append("photo", new File([text], `${text}.jpg`));
  return form;
};
for (const [name, hash] of Object.entries({ "hash-it": hashIt, "object-hash": objectHash, ohash })) {
  const results = Object.entries({ ...photos, FormData: formOf }).map(([type, photoOf]) => {
    try {
      const keys = ["anna", "benjamin"].map((text) => hash({ photo: photoOf(text) }));
      return `${type} ${keys[0] === keys[1] ? "same key" : "two keys"}`;
    } catch {
      return `${type} refused`;
    }
  });
  console.log(`${name}: ${results.join(", ")}`);
}
PROGRAM

cat > expected.txt <<'OUTPUT'
async-cache-dedupe 3.4.0
hash-it 7.0.2
object-hash 3.0.0
ohash 2.0.12
async-cache-dedupe, Blob, in turn: 1 try-ons; anna -> image of anna; benjamin -> image of anna
async-cache-dedupe, Blob, at once: 1 try-ons; anna -> image of anna; benjamin -> image of anna
async-cache-dedupe, File, in turn: 1 try-ons; anna -> image of anna; benjamin -> image of anna
async-cache-dedupe, File, at once: 1 try-ons; anna -> image of anna; benjamin -> image of anna
async-cache-dedupe, Uint8Array, in turn: 2 try-ons; anna -> image of anna; benjamin -> image of benjamin
async-cache-dedupe, Uint8Array, at once: 2 try-ons; anna -> image of anna; benjamin -> image of benjamin
hash-it: Blob two keys, File same key, Uint8Array two keys, FormData same key
object-hash: Blob refused, File two keys, Uint8Array two keys, FormData refused
ohash: Blob refused, File refused, Uint8Array two keys, FormData refused
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
