#!/usr/bin/env bash
# jpeg-js 0.4.4 (also in jimp and image-js): the colors of an RGB JPEG are wrong.
#
# Expected: the Adobe marker with transform 0 says that the data is RGB, so no conversion is applied.
# What happens: the decoder uses the marker only to switch the conversion on. It converts RGB data as if it were YCbCr.
# libjpeg, and so sharp, reads the marker. jpeg-js throws no error.
# Why it matters: some editors and scanners write RGB JPEGs to keep the exact colors of a product.
# An app that resizes such a garment with jimp submits another color, and pays for the wrong try-on.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent jpeg-js@0.4.4 jimp@1.6.1 sharp@0.35.5

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";

import { Jimp } from "jimp";
import jpeg from "jpeg-js";
import sharp from "sharp";

for (const name of ["jpeg-js", "jimp", "sharp"]) {
  console.log(`${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version}`);
}
// A red image. Its channels in the file are brightness and two colors, without subsampling.
const channels = 3;
const data = Buffer.alloc(16 * 16 * channels);
for (let index = 0; index < data.length; index += channels) data.set([200, 50, 51], index);
const plain = await sharp(data, { raw: { width: 16, height: 16, channels } })
  .jpeg({ quality: 100, chromaSubsampling: "4:4:4" })
  .toBuffer();
// With this Adobe marker (transform 0), the same channels are red, green and blue: a blue image.
const marker = Buffer.concat([Buffer.from([0xff, 0xee, 0, 14]), Buffer.from("Adobe"), Buffer.from([0, 100, 0, 0, 0, 0, 0])]);
const rgb = Buffer.concat([plain.subarray(0, 2), marker, plain.subarray(2)]);
const name = ([red, , blue]) => (red > blue ? "red" : "blue");
for (const [title, file] of [["without marker", plain], ["RGB marker", rgb]]) {
  const decoded = await sharp(file).raw().toBuffer();
  const { bitmap } = await Jimp.read(file);
  console.log(`${title}: sharp ${name(decoded)}, jpeg-js ${name(jpeg.decode(file).data)}, jimp ${name(bitmap.data)}`);
}
PROGRAM

cat > expected.txt <<'OUTPUT'
jpeg-js 0.4.4
jimp 1.6.1
sharp 0.35.5
without marker: sharp red, jpeg-js red, jimp red
RGB marker: sharp blue, jpeg-js red, jimp red
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
