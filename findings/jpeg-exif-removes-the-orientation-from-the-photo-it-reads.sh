#!/usr/bin/env bash
# jpeg-exif 1.1.4 changes the bytes of the photo that it reads: for the next reader, the photo has no orientation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --no-audit --no-fund --prefix . jpeg-exif@1.1.4 exifr@7.1.3 sharp@0.35.5
cat > check.cjs << 'END'
const exifr = require("exifr");
const jpegExif = require("jpeg-exif");
const sharp = require("sharp");

(async () => {
  const create = { width: 64, height: 32, channels: 3, background: "#a33" };
  // Its EXIF is little-endian.
  const photo = await sharp({ create }).jpeg().withMetadata({ orientation: 6 }).toBuffer();
  const copy = Buffer.from(photo);
  const read = async () => [await exifr.orientation(photo), (await sharp(photo).metadata()).orientation];
  const before = await read();
  const found = jpegExif.fromBuffer(photo).Orientation;
  const after = await read();
  const changed = photo.filter((byte, index) => byte !== copy[index]).length;
  const again = jpegExif.fromBuffer(photo).Orientation;
  const { version } = require("jpeg-exif/package.json");
  console.log(`exifr and sharp read the orientation ${before.map(String).join(" and ")}.`);
  console.log(`jpeg-exif ${version} reads ${found}.`);
  console.log(`Then ${changed} bytes differ, and exifr and sharp read ${after.map(String).join(" and ")}.`);
  console.log(`When jpeg-exif reads it again, it finds ${again}.`);
  if (changed === 0 || after.join() !== ",") {
    console.log("The behavior has changed.");
    process.exitCode = 1;
  }
})();
END
node check.cjs
