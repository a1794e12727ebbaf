#!/usr/bin/env bash
# jimp 1.6.1, image-size 2.1.0 and sharp 0.35.5 disagree about the orientation of one PNG.
#
# Expected: the chunk eXIf gives the orientation of a PNG, as EXIF does in a JPEG. It may come before or after the pixels.
# What happens: jimp turns a JPEG with orientation 6, and does not turn a PNG with it. image-size reports it for the JPEG only.
# sharp turns the PNG if the chunk comes before the pixels, and ignores the chunk after them. exifr reads both.
# Why it matters: one tool checks the photo, and another one resizes it.
# The person is on the side in the submission.
# A charged try-on of a rotated person is rarely usable.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent jimp@1.6.1 image-size@2.1.0 sharp@0.35.5 exifr@7.1.3

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";

import exifr from "exifr";
import { imageSize } from "image-size";
import { Jimp } from "jimp";
import sharp from "sharp";

for (const name of ["jimp", "image-size", "sharp", "exifr"]) {
  console.log(`${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version}`);
}
function crc32(bytes) {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const result = Buffer.alloc(body.length + 8);
  result.writeUInt32BE(body.length - 4);
  body.copy(result, 4);
  result.writeUInt32BE(crc32(body), body.length + 4);
  return result;
}
const plain = sharp({ create: { width: 60, height: 40, channels: 3, background: "#888" } });
const jpeg = await plain.clone().withMetadata({ orientation: 6 }).jpeg().toBuffer();
const png = await plain.clone().png().toBuffer();
// TIFF header and one entry: orientation (0x0112), a short, 6.
const exif = chunk("eXIf", Buffer.from("4d4d002a0000000800010112000300000001000600000000" + "0000", "hex"));
const insertBefore = (type) => {
  const offset = png.indexOf(type) - 4;
  return Buffer.concat([png.subarray(0, offset), exif, png.subarray(offset)]);
};
const side = (width, height) => (width > height ? "not turned" : "turned");
for (const [title, file] of [
  ["JPEG", jpeg],
  ["PNG, eXIf before IDAT", insertBefore("IDAT")],
  ["PNG, eXIf after IDAT", insertBefore("IEND")],
]) {
  const { info } = await sharp(file).autoOrient().raw().toBuffer({ resolveWithObject: true });
  const { width, height } = await Jimp.read(file);
  const reported = imageSize(file).orientation ?? "none";
  console.log(
    `${title}: exifr ${await exifr.orientation(file)}, image-size ${reported}, sharp ${side(info.width, info.height)}, jimp ${side(width, height)}`,
  );
}
PROGRAM

cat > expected.txt <<'OUTPUT'
jimp 1.6.1
image-size 2.1.0
sharp 0.35.5
exifr 7.1.3
JPEG: exifr 6, image-size 6, sharp turned, jimp turned
PNG, eXIf before IDAT: exifr 6, image-size none, sharp turned, jimp not turned
PNG, eXIf after IDAT: exifr 6, image-size none, sharp not turned, jimp not turned
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
