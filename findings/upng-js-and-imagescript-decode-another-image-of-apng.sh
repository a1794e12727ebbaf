#!/usr/bin/env bash
# upng-js 2.1.0 and imagescript 1.3.1 decode another image of an animated PNG than all other tools.
#
# Expected: an animated PNG has a still image for readers without animation. It is in IDAT, and may be outside of the animation.
# What happens: pngjs 7.0.0 and sharp 0.35.5 return the still image. These two return a frame of the animation instead.
# upng-js offers only the frames in its list of images, and imagescript gives one image without a hint.
# The size and the type are the same.
# Why it matters: a shop shows a still photo of the garment to old readers, and turns it in the animation.
# The check and the preview use the still image, and the submission has a view from the side or the back.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent upng-js@2.1.0 imagescript@1.3.1 pngjs@7.0.0 sharp@0.35.5

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import { deflateSync } from "node:zlib";

import { decode } from "imagescript";
import { PNG } from "pngjs";
import sharp from "sharp";
import UPNG from "upng-js";

for (const name of ["upng-js", "imagescript", "pngjs", "sharp"]) {
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
  const body = Buffer.concat([Buffer.from(type), Buffer.from(data)]);
  const result = Buffer.alloc(body.length + 8);
  result.writeUInt32BE(body.length - 4);
  body.copy(result, 4);
  result.writeUInt32BE(crc32(body), body.length + 4);
  return result;
}
function numbers(...values) {
  const result = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => result.writeUInt32BE(value, index * 4));
  return result;
}
const side = 8;
function pixels(color) {
  const row = [0, ...Array.from({ length: side }, () => color).flat()];
  return deflateSync(Buffer.from(Array.from({ length: side }, () => row).flat()));
}
const frame = (sequence) => chunk("fcTL", Buffer.concat([numbers(sequence, side, side, 0, 0), Buffer.from([0, 1, 0, 10, 0, 0])]));
const frameData = (sequence, color) => chunk("fdAT", Buffer.concat([numbers(sequence), pixels(color)]));
const [red, blue, green] = [[255, 0, 0], [0, 0, 255], [0, 255, 0]];
const names = new Map(Object.entries({ red, blue, green }).map(([name, color]) => [color.join(), name]));
function apng(isInAnimation) {
  const frames = isInAnimation
    ? [frame(0), chunk("IDAT", pixels(red)), frame(1), frameData(2, blue)]
    : [chunk("IDAT", pixels(red)), frame(0), frameData(1, blue), frame(2), frameData(3, green)];
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  const header = chunk("IHDR", Buffer.concat([numbers(side, side), Buffer.from([8, 2, 0, 0, 0])]));
  return Buffer.concat([signature, header, chunk("acTL", numbers(2, 0)), ...frames, chunk("IEND", [])]);
}
const show = (data) => names.get([...data.subarray(0, 3)].join());
for (const isInAnimation of [true, false]) {
  const file = apng(isInAnimation);
  const bytes = file.buffer.slice(file.byteOffset, file.byteOffset + file.length);
  const results = [
    `pngjs ${show(PNG.sync.read(file).data)}`,
    `sharp ${show(await sharp(file).raw().toBuffer())}`,
    `upng-js ${UPNG.toRGBA8(UPNG.decode(bytes)).map((image) => show(new Uint8Array(image))).join(" and ")}`,
    `imagescript ${show((await decode(file)).bitmap)}`,
  ];
  console.log(`still image in red, ${isInAnimation ? "first frame" : "outside of the animation"}: ${results.join(", ")}`);
}
PROGRAM

cat > expected.txt <<'OUTPUT'
upng-js 2.1.0
imagescript 1.3.1
pngjs 7.0.0
sharp 0.35.5
still image in red, first frame: pngjs red, sharp red, upng-js red and blue, imagescript red
still image in red, outside of the animation: pngjs red, sharp red, upng-js blue and green, imagescript blue
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
