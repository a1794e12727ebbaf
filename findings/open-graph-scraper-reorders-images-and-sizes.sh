#!/usr/bin/env bash
# open-graph-scraper 6.12.0: the first image of a product page is another one, and has the size of a third one.
#
# Expected: `ogImage` follows the page. The Open Graph protocol says that the first image is preferred.
# It also says that `og:image:width` belongs to the image before it.
# What happens: widths are assigned by count, so the only width goes to the first image.
# Then the list is sorted: GIFs first, and after them by the assigned size.
# Why it matters: shops read the garment's image from a product page in this way.
# The try-on gets the back of a shirt, a size chart or an animated detail, and is charged.
# A check of the smallest side passes for an icon that has the size of a large image.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent open-graph-scraper@6.12.0

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";

import ogs from "open-graph-scraper";

const { version } = JSON.parse(readFileSync("node_modules/open-graph-scraper/package.json", "utf8"));
console.log(`open-graph-scraper ${version}`);
const tag = (property, content) => `<meta property="${property}" content="${content}">`;
const pages = {
  "only the icon has no size": [
    tag("og:image", "https://shop.example/icon.jpg"),
    tag("og:image", "https://shop.example/front.jpg"),
    tag("og:image:width", "1200"),
    tag("og:image:height", "1600"),
  ],
  "front, then a larger back": [
    tag("og:image", "https://shop.example/front.jpg"),
    tag("og:image:width", "900"),
    tag("og:image", "https://shop.example/back.jpg"),
    tag("og:image:width", "1200"),
  ],
  "front, then a GIF": [tag("og:image", "https://shop.example/front.jpg"), tag("og:image", "https://shop.example/chart.gif")],
};
for (const [title, tags] of Object.entries(pages)) {
  const html = `<html><head><title>Shirt</title>${tags.join("")}</head><body></body></html>`;
  const { result } = await ogs({ html });
  const images = result.ogImage.map(({ url, width }) => `${url.split("/").pop()} (width ${width ?? "unknown"})`);
  console.log(`${title}: ${images.join(", ")}`);
}
PROGRAM

cat > expected.txt <<'OUTPUT'
open-graph-scraper 6.12.0
only the icon has no size: icon.jpg (width 1200), front.jpg (width unknown)
front, then a larger back: back.jpg (width 1200), front.jpg (width 900)
front, then a GIF: chart.gif (width unknown), front.jpg (width unknown)
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
