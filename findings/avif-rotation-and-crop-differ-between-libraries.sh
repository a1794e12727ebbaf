#!/usr/bin/env bash
# AVIF with rotation (irot) or crop (clap): sharp 0.35.5 and @jsquash/avif 2.1.1 return different images.
# image-size 2.1.0 reports a size that neither of them has.
#
# Expected: both properties are essential in the format, so each reader applies them. Phones store portrait photos in this way.
# What happens: sharp turns and crops. @jsquash/avif returns the pixels before both.
# image-size does not swap the sides and reports no orientation.
# For a crop to 48 x 64, it says 95 x 64.
# Why it matters: a page that resizes with @jsquash/avif submits the person on the side.
# Parts that the user cut away are in it again.
# A check of the smallest side by image-size passes for a photo that is too narrow.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent sharp@0.35.5 @jsquash/avif@2.1.1 image-size@2.1.0

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";

import decode, { init } from "@jsquash/avif/decode.js";
import { imageSize } from "image-size";
import sharp from "sharp";

for (const name of ["sharp", "@jsquash/avif", "image-size"]) {
  console.log(`${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version}`);
}
globalThis.ImageData ??= class {
  constructor(data, width, height) {
    Object.assign(this, { data, width, height });
  }
};
await init(await WebAssembly.compile(readFileSync("node_modules/@jsquash/avif/codec/dec/avif_dec.wasm")));

const number = (value, bytes) => Buffer.from(value.toString(16).padStart(bytes * 2, "0"), "hex");
const int = (value) => number(value < 0 ? 2 ** 32 + value : value, 4);
function box(type, ...parts) {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([number(content.length + 8, 4), Buffer.from(type), content]);
}
const fullBox = (type, version, ...parts) => box(type, [version, 0, 0, 0], ...parts);
function find(bytes, [type, ...rest]) {
  for (let offset = 0; offset < bytes.length; ) {
    const length = bytes.readUInt32BE(offset);
    if (bytes.toString("latin1", offset + 4, offset + 8) === type) {
      const found = bytes.subarray(offset, offset + length);
      return rest.length === 0 ? found : find(found.subarray(type === "meta" ? 12 : 8), rest);
    }
    offset += length;
  }
  throw new Error(`no box ${type}`);
}

// 96 x 64: the left half is red, the right one blue.
const pixels = Buffer.alloc(96 * 64 * 3);
for (let index = 0; index < 96 * 64; index += 1) pixels[index * 3 + (index % 96 < 48 ? 0 : 2)] = 255;
const plain = await sharp(pixels, { raw: { width: 96, height: 64, channels: 3 } })
  .avif({ quality: 90, chromaSubsampling: "4:2:0" })
  .toBuffer();
const properties = ["av1C", "ispe", "pixi"].map((type) => find(plain, ["meta", "iprp", "ipco", type]));
const data = find(plain, ["mdat"]).subarray(8);

/** Creates the same image with one more property, which is marked as essential. */
function withProperty(property) {
  const ftyp = box("ftyp", "avif", int(0), "avifmif1miaf");
  const meta = (offset) =>
    fullBox(
      "meta",
      0,
      fullBox("hdlr", 0, int(0), "pict", Buffer.alloc(13)),
      fullBox("pitm", 0, number(1, 2)),
      fullBox("iloc", 0, [0x44, 0], number(1, 2), number(1, 2), number(0, 2), number(1, 2), int(offset), int(data.length)),
      fullBox("iinf", 0, number(1, 2), fullBox("infe", 2, number(1, 2), number(0, 2), "av01", [0])),
      box("iprp", box("ipco", ...properties, property), fullBox("ipma", 0, int(1), number(1, 2), [4, 0x81, 2, 3, 0x84])),
    );
  return Buffer.concat([ftyp, meta(ftyp.length + meta(0).length + 8), box("mdat", data)]);
}
// Width, height and offset of the center, as fractions.
const crop = box("clap", ...[48, 1, 64, 1, -24, 1, 0, 1].map(int));
for (const [title, file] of [
  ["plain", plain],
  ["rotation by 90 degrees", withProperty(box("irot", [1]))],
  ["crop to the left half", withProperty(crop)],
]) {
  const { info } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
  const decoded = await decode(file);
  const { width, height, orientation } = imageSize(file);
  console.log(
    `${title}: sharp ${info.width}x${info.height}, @jsquash/avif ${decoded.width}x${decoded.height}, image-size ${width}x${height}, orientation ${orientation ?? "none"}`,
  );
}
PROGRAM

cat > expected.txt <<'OUTPUT'
sharp 0.35.5
@jsquash/avif 2.1.1
image-size 2.1.0
plain: sharp 96x64, @jsquash/avif 96x64, image-size 96x64, orientation none
rotation by 90 degrees: sharp 64x96, @jsquash/avif 96x64, image-size 96x64, orientation none
crop to the left half: sharp 48x64, @jsquash/avif 96x64, image-size 95x64, orientation none
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
