#!/usr/bin/env bash
# ssim.js 3.5.0, @blazediff/ssim 1.7.1 and looks-same 10.0.1: a test of images accepts another color, or a broken cutout.
#
# Expected: two images that a person tells apart at once are different.
# What happens: the first two compare brightness only. A red and a green shirt of one brightness have the best value, 1.
# All three ignore transparency. A shirt with three quarters of its pixels removed equals the whole shirt.
# jest-image-snapshot 6.5.2 uses ssim.js if `comparisonMethod` is "ssim". pixelmatch 8.0.0 finds both differences.
# Why it matters: the test of a try-on page is green while it shows the wrong color variant.
# A removed background that is broken passes, too.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent ssim.js@3.5.0 @blazediff/ssim@1.7.1 looks-same@10.0.1 pixelmatch@8.0.0 sharp@0.35.5

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";

import blazediffSsim from "@blazediff/ssim";
import looksSame from "looks-same";
import pixelmatch from "pixelmatch";
import sharp from "sharp";
import { ssim } from "ssim.js";

for (const name of ["ssim.js", "@blazediff/ssim", "looks-same", "pixelmatch"]) {
  console.log(`${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version}`);
}
const side = 64;
// A checked shirt; a cutout is transparent except for its left part.
function shirt(color, isCutout) {
  const data = new Uint8ClampedArray(side * side * 4);
  for (let pixel = 0; pixel < side * side; pixel += 1) {
    const [x, y] = [pixel % side, Math.floor(pixel / side)];
    const shade = (Math.floor(x / 8) + Math.floor(y / 8)) % 2 ? 1 : 0.8;
    data.set([...color.map((value) => value * shade), isCutout && x >= side / 4 ? 0 : 255], pixel * 4);
  }
  return { data, width: side, height: side };
}
const pngOf = ({ data }) => sharp(data, { raw: { width: side, height: side, channels: 4 } }).png().toBuffer();
const red = shirt([200, 0, 0], false);
const pairs = { "red and green shirt": shirt([0, 102, 0], false), "shirt and a quarter of it": shirt([200, 0, 0], true) };
for (const [title, other] of Object.entries(pairs)) {
  const { equal } = await looksSame(await pngOf(red), await pngOf(other));
  const values = [
    `ssim.js ${ssim(red, other).mssim.toFixed(3)}`,
    `@blazediff/ssim ${blazediffSsim(red.data, other.data, undefined, side, side).toFixed(3)}`,
    `looks-same ${equal ? "equal" : "different"}`,
    `pixelmatch ${pixelmatch(red.data, other.data, undefined, side, side)} of ${side * side} pixels`,
  ];
  console.log(`${title}: ${values.join(", ")}`);
}
PROGRAM

cat > expected.txt <<'OUTPUT'
ssim.js 3.5.0
@blazediff/ssim 1.7.1
looks-same 10.0.1
pixelmatch 8.0.0
red and green shirt: ssim.js 1.000, @blazediff/ssim 1.000, looks-same different, pixelmatch 4096 of 4096 pixels
shirt and a quarter of it: ssim.js 1.000, @blazediff/ssim 1.000, looks-same equal, pixelmatch 2881 of 4096 pixels
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
