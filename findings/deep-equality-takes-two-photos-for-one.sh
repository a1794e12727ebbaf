#!/usr/bin/env bash
# fast-deep-equal 3.1.3, react-fast-compare 3.2.3, deep-equal 2.2.3 and just-compare 2.3.0: two different photos are equal.
#
# Expected: two values are equal only if their contents are, or if both are the same object.
# What happens: these libraries compare the own properties of both objects. A Blob, a File and a FormData have none.
# dequal 2.0.3 tells photos apart, but not forms. fast-equals 6.2.2 and lodash.isequal 4.5.0 tell both apart.
# Why it matters: a customer replaces the photo, and the comparison finds no change.
# A component that compares its props in this way keeps the old image on the page, and submits the old photo again.
# A test that compares the submitted photo or form with the expected one always passes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent fast-deep-equal@3.1.3 react-fast-compare@3.2.3 deep-equal@2.2.3 just-compare@2.3.0 dequal@2.0.3 fast-equals@6.2.2 lodash.isequal@4.5.0

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";

import deepEqual from "deep-equal";
import { dequal } from "dequal";
import fastDeepEqual from "fast-deep-equal";
import { deepEqual as fastEquals } from "fast-equals";
import justCompare from "just-compare";
import lodash from "lodash.isequal";
import reactFastCompare from "react-fast-compare";

const comparisons = {
  "fast-deep-equal": fastDeepEqual,
  "react-fast-compare": reactFastCompare,
  "deep-equal": deepEqual,
  "just-compare": justCompare,
  dequal,
  "fast-equals": fastEquals,
  "lodash.isequal": lodash,
};
for (const name of Object.keys(comparisons)) {
  console.log(`${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version}`);
}
const fileOf = (person) => new File([`photo of ${person}`], `${person}.jpg`, { type: "image/jpeg" });
const kinds = {
  Blob: (person) => new Blob([`photo of ${person}`]),
  File: fileOf,
  FormData: (person) => {
    const form = new FormData();
    form.append("photo", fileOf(person));
    form.append("person", person);
    return form;
  },
  Uint8Array: (person) => new TextEncoder().encode(`photo of ${person}`),
};
for (const [name, isEqual] of Object.entries(comparisons)) {
  const results = Object.entries(kinds).map(([kind, create]) => {
    const [before, after] = ["anna", "benjamin"].map((person) => ({ garment: "shirt", photo: create(person) }));
    return `${kind} ${isEqual(before, after) ? "equal" : "different"}`;
  });
  console.log(`${name}: ${results.join(", ")}`);
}
PROGRAM

cat > expected.txt <<'OUTPUT'
fast-deep-equal 3.1.3
react-fast-compare 3.2.3
deep-equal 2.2.3
just-compare 2.3.0
dequal 2.0.3
fast-equals 6.2.2
lodash.isequal 4.5.0
fast-deep-equal: Blob equal, File equal, FormData equal, Uint8Array different
react-fast-compare: Blob equal, File equal, FormData equal, Uint8Array different
deep-equal: Blob equal, File equal, FormData equal, Uint8Array different
just-compare: Blob equal, File equal, FormData equal, Uint8Array different
dequal: Blob different, File different, FormData equal, Uint8Array different
fast-equals: Blob different, File different, FormData different, Uint8Array different
lodash.isequal: Blob different, File different, FormData different, Uint8Array different
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
