#!/usr/bin/env bash
# heic-convert 2.1.0 and jpeg-autorotate 9.0.0: photos of phones get dull colors, since their color profile is dropped.
#
# Expected: a conversion keeps the profile, or converts the pixels to sRGB. Phones take photos in Display P3.
# What happens: the pixels keep their P3 values, and the new file has no profile, so each reader takes them for sRGB.
# Pure red becomes rgb(234, 51, 35). jpeg-autorotate is used only to turn a photo, and does the same.
# heic-convert also writes a transparent cutout to a JPEG with its hidden colors visible.
# Why it matters: skin and garments of each converted photo have less saturated colors in the charged try-on.
# The same person looks right if the photo was a JPEG, so the fault looks like one of the model.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent heic-convert@2.1.0 jpeg-autorotate@9.0.0 sharp@0.35.5

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";

import convert from "heic-convert";
import autorotate from "jpeg-autorotate";
import sharp from "sharp";

for (const name of ["heic-convert", "jpeg-autorotate", "sharp"]) {
  console.log(`${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version}`);
}
// 64 x 64 pixels of pure red in sRGB, stored in Display P3 with its profile.
const photoHeic = Buffer.from(
  `
AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAy9tZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAA
AA5waXRtAAAAAAABAAAAImlsb2MAAAAAREAAAQABAAAAAANTAAEAAAAAAAAAHgAAACNpaW5mAAAAAAABAAAAFWluZmUCAAAAAAEA
AGh2YzEAAAACr2lwcnAAAAKQaXBjbwAAAHhodmNDAQNwAAAAAAAAAAAAHvAA/P34+AAADwMgAAEAGEABDAH//wNwAAADAJAAAAMA
AAMAHroCQCEAAQArQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbqSSmubgQEDAgAAAMACAAAAwAIQCIAAQAHRAHBcrAiQAAAABRpc3Bl
AAAAAAAAAEAAAABAAAAB7GNvbHJwcm9mAAAB4GxjbXMEIAAAbW50clJHQiBYWVogB+IAAwAUAAkADgAdYWNzcE1TRlQAAAAAc2F3
c2N0cmwAAAAAAAAAAAAAAAAAAPbWAAEAAAAA0y1oYW5kguKocouKP/clPrmS7iTWrgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
AAAAAAAKZGVzYwAAAPwAAAAkY3BydAAAASAAAAAid3RwdAAAAUQAAAAUY2hhZAAAAVgAAAAsclhZWgAAAYQAAAAUZ1hZWgAAAZgA
AAAUYlhZWgAAAawAAAAUclRSQwAAAcAAAAAgZ1RSQwAAAcAAAAAgYlRSQwAAAcAAAAAgbWx1YwAAAAAAAAABAAAADGVuVVMAAAAI
AAAAHABzAFAAMwBDbWx1YwAAAAAAAAABAAAADGVuVVMAAAAGAAAAHABDAEMAMAAAWFlaIAAAAAAAAPbWAAEAAAAA0y1zZjMyAAAA
AAABDEIAAAXe///zJQAAB5MAAP2Q///7of///k4AAAOaAADAFFhZWiAAAAAAAACD3wAAPb8AAAAAWFlaIAAAAAAAAEq/AACxNwAA
CrVYWVogAAAAAAAAKDgAABEKAADIeHBhcmEAAAAAAAMAAAACZmkAAPKnAAANWQAAE9AAAApbAAAAEHBpeGkAAAAAAwgICAAAABdp
cG1hAAAAAAAAAAEAAQSBAoOEAAAAJm1kYXQAAAAaKAGvBjha/P038njf//8XG+h/qYxKrxCY/X4=
`,
  "base64",
);
// 64 x 64 pixels: an opaque red half, and a transparent half with hidden green.
const cutoutHeic = Buffer.from(
  `
AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAkVtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAA
AA5waXRtAAAAAAABAAAANGlsb2MAAAAAREAAAgABAAAAAAJpAAEAAAAAAAAALwACAAAAAAKYAAEAAAAAAAAAHAAAADhpaW5mAAAA
AAACAAAAFWluZmUCAAAAAAEAAGh2YzEAAAAAFWluZmUCAAAAAAIAAGh2YzEAAAABhGlwcnAAAAFfaXBjbwAAAHhodmNDAQNwAAAA
AAAAAAAAHvAA/P34+AAADwMgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQCEAAQArQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbq
SSmubgQEDAgAAAMACAAAAwAIQCIAAQAHRAHBcrAiQAAAABRpc3BlAAAAAAAAAEAAAABAAAAAEHBpeGkAAAAAAwgICAAAAHJodmND
AQQIAAAAAAAAAAAAHvAA/Pz4+AAADwMgAAEAF0ABDAH//wQIAAADAJ/4AAADAAAeugJAIQABACZCAQEECAAAAwCf+AAAAwAAHsCC
BBZbqSSmubAgAAADACAAAAMAISIAAQAHRAHBcrAiQAAAABRpc3BlAAAAAAAAAEAAAABAAAAADnBpeGkAAAAAAQgAAAAnYXV4QwAA
AAB1cm46bXBlZzpoZXZjOjIwMTU6YXV4aWQ6MQAAAAAdaXBtYQAAAAAAAAACAAEDgQKDAAIEhAWGhwAAABppcmVmAAAAAAAAAA5h
dXhsAAIAAQABAAAAU21kYXQAAAArKAGvBjha/P03+Z3v///K9d6H+9g4bCV/ly5f/9N7v//4BLzx8YaL/9HT+AAAABgoAa4McHUF
5b/wc1FNl/6l8I+jav+IOYw=
`,
  "base64",
);
// Adds a profile to a JPEG without one (segment APP2).
function withProfile(jpeg, profile) {
  const data = Buffer.concat([Buffer.from("ICC_PROFILE\0\x01\x01", "latin1"), profile]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(data.length + 2);
  return Buffer.concat([jpeg.subarray(0, 2), Buffer.from([0xff, 0xe2]), length, data, jpeg.subarray(2)]);
}
async function show(title, file) {
  const { icc } = await sharp(file).metadata();
  const { data, info } = await sharp(file).toColourspace("srgb").raw().toBuffer({ resolveWithObject: true });
  const at = (pixel) => `rgb(${[...data.subarray(pixel * info.channels, pixel * info.channels + 3)].join(", ")})`;
  console.log(`${title}: ${icc ? "profile" : "no profile"}, left ${at(0)}, right ${at(info.width - 1)}`);
}
const { icc } = await sharp(photoHeic).metadata();
console.log(`photo in HEIC: profile of ${icc.length} bytes`);
const converted = await convert({ buffer: photoHeic, format: "JPEG", quality: 1 });
await show("heic-convert, photo to JPEG", converted);
await show("the same JPEG with the profile added", withProfile(Buffer.from(converted), icc));
const red = { create: { width: 64, height: 64, channels: 3, background: "#f00" } };
const photoJpeg = await sharp(red).withMetadata({ orientation: 6, icc: "p3" }).jpeg({ quality: 100 }).toBuffer();
await show("photo in JPEG", photoJpeg);
await show("jpeg-autorotate", (await autorotate.rotate(photoJpeg, { quality: 100 })).buffer);
await show("heic-convert, cutout to JPEG", await convert({ buffer: cutoutHeic, format: "JPEG", quality: 1 }));
PROGRAM

cat > expected.txt <<'OUTPUT'
heic-convert 2.1.0
jpeg-autorotate 9.0.0
sharp 0.35.5
photo in HEIC: profile of 480 bytes
heic-convert, photo to JPEG: no profile, left rgb(234, 51, 35), right rgb(234, 51, 35)
the same JPEG with the profile added: profile, left rgb(255, 0, 3), right rgb(255, 0, 3)
photo in JPEG: profile, left rgb(255, 0, 3), right rgb(255, 0, 3)
jpeg-autorotate: no profile, left rgb(234, 51, 35), right rgb(234, 51, 35)
heic-convert, cutout to JPEG: no profile, left rgb(254, 0, 0), right rgb(0, 255, 1)
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
