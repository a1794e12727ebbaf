#!/usr/bin/env bash
# image-js 1.7.0: PNGs with a palette of 1, 2 or 4 bits decode to a wrong image.
# A transparent color is lost, too.
#
# Expected: each valid PNG decodes to its pixels. Most tools that make images small write such palettes.
# What happens: rows whose width fills no whole byte are read from wrong positions, so the image is sheared.
# The chunk tRNS of an RGB image is ignored, so its transparent background is solid.
# It throws no error, and width and height are right.
# Why it matters: garment images of shops are often small palette PNGs.
# A wrong pattern, or a garment with a solid background, is submitted and charged.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent image-js@1.7.0 pngjs@7.0.0

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import { deflateSync } from "node:zlib";

import { decode } from "image-js";
import { PNG } from "pngjs";

for (const name of ["image-js", "pngjs"]) {
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
function png(width, height, depth, type, chunks, rows) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([depth, type, 0, 0, 0], 8);
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  const data = deflateSync(Buffer.from(rows.flatMap((row) => [0, ...row])));
  return Buffer.concat([signature, chunk("IHDR", header), ...chunks, chunk("IDAT", data), chunk("IEND", [])]);
}
const letters = new Map([["255,0,0,255", "R"], ["255,255,255,255", "W"]]);
const show = ({ width, height, at }) =>
  Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => letters.get(at(x, y).join()) ?? (at(x, y)[3] === 0 ? "." : "?")).join(""),
  ).join(" ");
function compare(title, bytes) {
  const reference = PNG.sync.read(bytes);
  const image = decode(bytes).convertColor("RGBA");
  const at = (x, y) => [...reference.data.subarray((y * reference.width + x) * 4, (y * reference.width + x) * 4 + 4)];
  console.log(`${title}: pngjs    ${show({ ...reference, width: reference.width, height: reference.height, at })}`);
  const { width, height } = image;
  console.log(`${title}: image-js ${show({ width, height, at: (x, y) => [...image.getPixel(x, y)] })}`);
}
// A red column at the left of a white image, 5 pixels wide: palette index 1, then 0.
const palette = chunk("PLTE", [255, 255, 255, 255, 0, 0]);
compare("1 bit ", png(5, 4, 1, 3, [palette], Array(4).fill([0b10000000])));
compare("4 bits", png(5, 4, 4, 3, [palette], Array(4).fill([0x10, 0x00, 0x00])));
// Red is transparent.
const row = [255, 0, 0, 255, 255, 255];
compare("tRNS  ", png(2, 2, 8, 2, [chunk("tRNS", [0, 255, 0, 0, 0, 0])], [row, row]));
PROGRAM

cat > expected.txt <<'OUTPUT'
image-js 1.7.0
pngjs 7.0.0
1 bit : pngjs    RWWWW RWWWW RWWWW RWWWW
1 bit : image-js RWWWW WWWRW WWWWW WRWWW
4 bits: pngjs    RWWWW RWWWW RWWWW RWWWW
4 bits: image-js RWWWW WRWWW WWRWW WWWRW
tRNS  : pngjs    .W .W
tRNS  : image-js RW RW
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
