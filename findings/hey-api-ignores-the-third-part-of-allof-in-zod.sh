#!/usr/bin/env bash
# @hey-api/openapi-ts 0.99.0, plugin zod: a request that `allOf` describes in three parts is validated by two of them.
#
# Expected: the parser of a schema with `allOf` accepts what matches each part.
# What happens: where the first part is an `anyOf`, the plugin writes `z.intersection(first, second, third)`.
# zod takes two schemas there, and ignores the third. So a request without the required `output_size` is valid, and so is a size that does not exist.
# The compiler rejects the generated file, but bundlers and test runners drop types without a check.
# With a reference as the first part, the plugin writes `first.and(second).and(third)`, which is right.
# Why it matters: "a photo as a URL or as base64" is an `anyOf`, so a contract of images has this form easily.
# The app believes that the request was checked, and the service refuses it after the upload.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent \
  @hey-api/openapi-ts@0.99.0 typescript@5.9.3 zod@4.6.7 esbuild@0.27.2

cat > check.mjs <<'PROGRAM'
import { readFileSync, writeFileSync } from "node:fs";

import { createClient } from "@hey-api/openapi-ts";
import { transformSync } from "esbuild";

const path = "node_modules/@hey-api/openapi-ts/package.json";
console.log(`@hey-api/openapi-ts ${JSON.parse(readFileSync(path, "utf8")).version}`);
const text = { type: "string" };
const either = (...names) => ({
  anyOf: names.map((name) => ({ type: "object", required: [name], properties: { [name]: text } })),
});
const size = {
  type: "object",
  required: ["output_size"],
  properties: { output_size: { type: "string", enum: ["1K", "2K", "4K"] } },
};
const person = either("person_url", "person_image_b64");
const garment = either("garment_url", "garment_image_b64");
const specs = {
  "anyOf first": { Person: person, Request: { allOf: [person, garment, size] } },
  "reference first": {
    Person: person,
    Request: { allOf: [{ $ref: "#/components/schemas/Person" }, garment, size] },
  },
};
const images = { person_url: "https://shop.example/me.jpg", garment_url: "https://shop.example/coat.jpg" };
for (const [name, schemas] of Object.entries(specs)) {
  const folder = name.replace(" ", "-");
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Request" } } };
  const input = {
    openapi: "3.1.0",
    info: { title: "Try-on", version: "1" },
    paths: { "/tryon": { post: { requestBody: { content }, responses: { 200: { description: "Job" } } } } },
    components: { schemas },
  };
  await createClient({ input, output: folder, plugins: ["zod"], logs: { level: "silent" } });
  const source = readFileSync(`${folder}/zod.gen.ts`, "utf8");
  writeFileSync(`${folder}/zod.mjs`, transformSync(source, { loader: "ts" }).code);
  const { zRequest } = await import(`./${folder}/zod.mjs`);
  for (const output_size of ["1K", "9K", undefined]) {
    const { success } = zRequest.safeParse({ ...images, output_size });
    console.log(`${name}, output_size ${output_size}: ${success ? "valid" : "invalid"}`);
  }
}
PROGRAM

cat > expected.txt <<'OUTPUT'
@hey-api/openapi-ts 0.99.0
anyOf first, output_size 1K: valid
anyOf first, output_size 9K: valid
anyOf first, output_size undefined: valid
reference first, output_size 1K: valid
reference first, output_size 9K: invalid
reference first, output_size undefined: invalid
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
