#!/usr/bin/env bash
# @napi-rs/image 1.15.0, @silvia-odwyer/photon-node 0.3.4 and jimp 1.6.1 mix hidden colors into the edges of a cutout.
#
# Expected: a resize ignores the color of transparent pixels. They have one in most files, and no viewer shows it.
# What happens: these libraries average colors without the alpha channel, so the hidden color becomes part of the edge.
# In @napi-rs/image, `fastResize` is correct and `resize` is not. In jimp, it depends on the mode.
# Why it matters: background removal keeps the old background as the hidden color.
# A red shirt cut out from a green screen gets a green outline after the resize.
# The try-on copies the outline to the person, and is charged.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent @napi-rs/image@1.15.0 @silvia-odwyer/photon-node@0.3.4 jimp@1.6.1 sharp@0.35.5

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";

import { Transformer } from "@napi-rs/image";
import photon from "@silvia-odwyer/photon-node";
import { Jimp } from "jimp";
import sharp from "sharp";

for (const name of ["@napi-rs/image", "@silvia-odwyer/photon-node", "jimp", "sharp"]) {
  console.log(`${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version}`);
}
// 60 x 60: an opaque red shirt at the left, and transparent pixels with hidden green at the right.
const pixels = Array.from({ length: 3600 }, (_, index) => (index % 60 < 29 ? [255, 0, 0, 255] : [0, 255, 0, 0]));
const raw = { width: 60, height: 60, channels: 4 };
const cutout = await sharp(Buffer.from(pixels.flat()), { raw }).png().toBuffer();
function show(title, data) {
  let green = [0, 0, 0, 0];
  for (let at = 0; at < 20 * 4; at += 4) {
    if (data[at + 3] > 0 && data[at + 1] > green[1]) green = [...data.subarray(at, at + 4)];
  }
  console.log(`${title}: ${green[1] === 0 ? "no green" : `green edge, such as rgba(${green.join(", ")})`}`);
}
const size = { width: 20, height: 20 };
show("sharp resize", await sharp(cutout).resize(size).raw().toBuffer());
show("@napi-rs/image fastResize", await new Transformer(cutout).fastResize(size).rawPixels());
show("@napi-rs/image resize", await new Transformer(cutout).resize(size).rawPixels());
for (const name of ["Triangle", "Lanczos3"]) {
  const resized = photon.resize(photon.PhotonImage.new_from_byteslice(cutout), 20, 20, photon.SamplingFilter[name]);
  show(`photon resize ${name}`, resized.get_raw_pixels());
}
for (const mode of [undefined, "bicubicInterpolation"]) {
  const image = await Jimp.read(cutout);
  image.resize({ w: 20, h: 20, ...(mode && { mode }) });
  show(`jimp resize ${mode ?? "by default"}`, image.bitmap.data);
}
PROGRAM

cat > expected.txt <<'OUTPUT'
@napi-rs/image 1.15.0
@silvia-odwyer/photon-node 0.3.4
jimp 1.6.1
sharp 0.35.5
sharp resize: no green
@napi-rs/image fastResize: no green
@napi-rs/image resize: green edge, such as rgba(4, 251, 0, 4)
photon resize Triangle: green edge, such as rgba(170, 85, 0, 170)
photon resize Lanczos3: green edge, such as rgba(4, 251, 0, 4)
jimp resize by default: no green
jimp resize bicubicInterpolation: green edge, such as rgba(211, 44, 0, 211)
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
