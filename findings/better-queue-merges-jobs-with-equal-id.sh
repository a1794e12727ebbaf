#!/usr/bin/env bash
# better-queue 3.8.12: jobs with the same `id` are merged into one while they wait.
#
# Expected: each pushed job runs, as in other queues. `id` is a field of the app's own data.
# What happens: a job whose object has the `id` of a waiting job replaces that job.
# The callbacks of all of them get the result of the last one, and no error.
# Why it matters: jobs with the id of a person or of a product are common in a shop.
# Three garments for one person become one try-on, and the pages of all three show the last garment.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent better-queue@3.8.12

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";

import Queue from "better-queue";

console.log(`better-queue ${JSON.parse(readFileSync("node_modules/better-queue/package.json", "utf8")).version}`);
for (const field of ["personId", "id"]) {
  let tryOns = 0;
  let started;
  const isBusy = new Promise((resolve) => (started = resolve));
  const queue = new Queue((job, done) => {
    tryOns += 1;
    started();
    setTimeout(() => done(null, `image of the ${job.garment}`), 200);
  });
  // The queue is busy, so the following jobs wait.
  queue.push({ [field]: "ben", garment: "hat" });
  await isBusy;
  const results = await Promise.all(
    ["shirt", "jacket", "coat"].map(
      (garment) =>
        new Promise((resolve) => {
          queue.push({ [field]: "anna", garment }, (error, image) => resolve(`${garment} -> ${error ?? image}`));
        }),
    ),
  );
  console.log(`{ ${field}, garment }: ${tryOns - 1} try-ons for anna; ${results.join("; ")}`);
  await new Promise((resolve) => queue.destroy(resolve));
}
PROGRAM

cat > expected.txt <<'OUTPUT'
better-queue 3.8.12
{ personId, garment }: 3 try-ons for anna; shirt -> image of the shirt; jacket -> image of the jacket; coat -> image of the coat
{ id, garment }: 1 try-ons for anna; shirt -> image of the coat; jacket -> image of the coat; coat -> image of the coat
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
