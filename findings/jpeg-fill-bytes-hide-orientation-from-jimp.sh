#!/usr/bin/env bash
# JPEG with fill bytes: jimp 1.6.1 loses the orientation, and image-size 2.1.0 refuses the file.
#
# Expected: any number of bytes 0xFF may come before a marker, as the standard says (ITU T.81, B.1.1.2).
# What happens: with two such bytes before the EXIF data, jimp decodes the pixels and does not turn them.
# image-size throws "Corrupt JPG". sharp and exifr read the file in full.
# Why it matters: some cameras and tools align segments with fill bytes.
# Such a photo is refused as corrupt, or submitted with the person on the side and charged.
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
const photo = sharp({ create: { width: 60, height: 40, channels: 3, background: "#888" } });
const plain = await photo.withMetadata({ orientation: 6 }).jpeg().toBuffer();
const exif = plain.indexOf(Buffer.from([0xff, 0xe1]));
const filled = Buffer.concat([plain.subarray(0, exif), Buffer.from([0xff, 0xff]), plain.subarray(exif)]);
const side = (width, height) => (width > height ? "not turned" : "turned");
for (const [title, file] of [["plain", plain], ["fill bytes", filled]]) {
  const { info } = await sharp(file).autoOrient().raw().toBuffer({ resolveWithObject: true });
  const { width, height } = await Jimp.read(file);
  let size;
  try {
    size = `orientation ${imageSize(file).orientation}`;
  } catch (error) {
    size = `"${error.message}"`;
  }
  console.log(
    `${title}: exifr ${await exifr.orientation(file)}, sharp ${side(info.width, info.height)}, jimp ${side(width, height)}, image-size ${size}`,
  );
}
PROGRAM

cat > expected.txt <<'OUTPUT'
jimp 1.6.1
image-size 2.1.0
sharp 0.35.5
exifr 7.1.3
plain: exifr 6, sharp turned, jimp turned, image-size orientation 6
fill bytes: exifr 6, sharp turned, jimp not turned, image-size "Corrupt JPG, exceeded buffer limits"
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
