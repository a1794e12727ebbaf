#!/usr/bin/env bash
# PNG with the chunks gAMA and cHRM: sharp 0.35.5 and jimp 1.6.1 show other colors than a canvas.
#
# Expected: these chunks say what the values mean, as a profile does. sharp applies an embedded profile.
# What happens: sharp and jimp take the values for sRGB, and drop the chunks from the file that they write.
# @napi-rs/canvas 1.1.1 applies both chunks, as browsers do, unless the chunk sRGB is there.
# Why it matters: renderers of 3D garments write linear values with gAMA 1.0, and some editors write cHRM for wide colors.
# The customer sees the right color on the page. The resized copy that is submitted has a darker or duller one.
# No later step can repair the copy, since nothing in it names the old meaning.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent sharp@0.35.5 jimp@1.6.1 @napi-rs/canvas@1.1.1

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import { deflateSync } from "node:zlib";

import { createCanvas, loadImage } from "@napi-rs/canvas";
import { Jimp } from "jimp";
import sharp from "sharp";

for (const name of ["sharp", "jimp", "@napi-rs/canvas"]) {
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
// 8 x 8 pixels of rgb(200, 50, 100).
function png(...chunks) {
  const header = Buffer.concat([numbers(8, 8), Buffer.from([8, 2, 0, 0, 0])]);
  const rows = Array.from({ length: 8 }, () => [0, ...Array.from({ length: 8 }, () => [200, 50, 100]).flat()]);
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  const data = deflateSync(Buffer.from(rows.flat()));
  return Buffer.concat([signature, chunk("IHDR", header), ...chunks, chunk("IDAT", data), chunk("IEND", [])]);
}
const linear = chunk("gAMA", numbers(100000));
const gamma = chunk("gAMA", numbers(45455));
const displayP3 = chunk("cHRM", numbers(31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000));
const files = {
  "no chunk": png(),
  "gAMA 1.0": png(linear),
  "gAMA 1.0 with sRGB": png(chunk("sRGB", [0]), linear),
  "gAMA 1/2.2 with cHRM of Display P3": png(displayP3, gamma),
};
const show = (data) => `rgb(${[...data.subarray(0, 3)].join(", ")})`;
for (const [title, file] of Object.entries(files)) {
  const context = createCanvas(8, 8).getContext("2d");
  context.drawImage(await loadImage(file), 0, 0);
  const copy = await sharp(file).resize(4).png().toBuffer();
  const colors = [
    `canvas ${show(context.getImageData(0, 0, 1, 1).data)}`,
    `sharp ${show(await sharp(file).toColourspace("srgb").raw().toBuffer())}`,
    `jimp ${show((await Jimp.read(file)).bitmap.data)}`,
    `copy by sharp ${show(await sharp(copy).raw().toBuffer())}, ${/gAMA|cHRM|iCCP/.test(copy.toString("latin1")) ? "described" : "not described"}`,
  ];
  console.log(`${title}: ${colors.join(", ")}`);
}
PROGRAM

cat > expected.txt <<'OUTPUT'
sharp 0.35.5
jimp 1.6.1
@napi-rs/canvas 1.1.1
no chunk: canvas rgb(200, 50, 100), sharp rgb(200, 50, 100), jimp rgb(200, 50, 100), copy by sharp rgb(200, 50, 100), not described
gAMA 1.0: canvas rgb(229, 122, 168), sharp rgb(200, 50, 100), jimp rgb(200, 50, 100), copy by sharp rgb(200, 50, 100), not described
gAMA 1.0 with sRGB: canvas rgb(200, 50, 100), sharp rgb(200, 50, 100), jimp rgb(200, 50, 100), copy by sharp rgb(200, 50, 100), not described
gAMA 1/2.2 with cHRM of Display P3: canvas rgb(219, 14, 100), sharp rgb(200, 50, 100), jimp rgb(200, 50, 100), copy by sharp rgb(200, 50, 100), not described
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
