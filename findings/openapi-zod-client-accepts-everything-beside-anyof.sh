#!/usr/bin/env bash
# openapi-zod-client 1.18.3: a schema with `properties` and `anyOf` becomes a validator that accepts everything.
#
# Expected: `anyOf` with lists of required fields adds a condition, and `properties` stay checked.
# What happens: the generated schema is `z.union([z.unknown(), z.unknown()])`. All properties and limits are gone.
# A nullable integer also loses its minimum and its type: -1.5 is a valid seed.
# Why it matters: "a photo or its URL" is written in this way in contracts of image services.
# The client checks nothing before it submits, and each mistake costs a request, or credits.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent openapi-zod-client@1.18.3 zod@3.25.76

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";

import { generateZodClientFromOpenAPI } from "openapi-zod-client";
import { z } from "zod";

console.log(`openapi-zod-client ${JSON.parse(readFileSync("node_modules/openapi-zod-client/package.json", "utf8")).version}`);
const properties = {
  person_url: { type: "string", maxLength: 2000 },
  person_image_b64: { type: "string" },
  output_size: { type: "string", enum: ["1K", "2K"] },
  seed: { type: ["integer", "null"], minimum: 0 },
};
for (const [title, condition] of [
  ["properties", {}],
  ["properties and anyOf", { anyOf: [{ required: ["person_url"] }, { required: ["person_image_b64"] }] }],
]) {
  const content = { "application/json": { schema: { $ref: "#/components/schemas/TryOn" } } };
  const code = await generateZodClientFromOpenAPI({
    disableWriteToFile: true,
    openApiDoc: {
      openapi: "3.1.0",
      info: { title: "Try-on", version: "1" },
      paths: { "/tryon": { post: { requestBody: { content }, responses: { 200: { description: "Job", content } } } } },
      components: { schemas: { TryOn: { type: "object", properties, ...condition } } },
    },
  });
  const source = code.match(/const TryOn = ([\s\S]*?);\n/)[1];
  const schema = new Function("z", `return ${source}`)(z);
  console.log(`${title}: ${source.replaceAll(/\s+/g, " ")}`);
  for (const input of [{ output_size: "9K" }, { person_url: 7 }, { seed: -1.5 }, "no object"]) {
    console.log(`  ${JSON.stringify(input)}: ${schema.safeParse(input).success ? "valid" : "refused"}`);
  }
}
PROGRAM

cat > expected.txt <<'OUTPUT'
openapi-zod-client 1.18.3
properties: z .object({ person_url: z.string().max(2000), person_image_b64: z.string(), output_size: z.enum(["1K", "2K"]), seed: z.union([z.number(), z.null()]), }) .partial() .passthrough()
  {"output_size":"9K"}: refused
  {"person_url":7}: refused
  {"seed":-1.5}: valid
  "no object": refused
properties and anyOf: z.union([z.unknown(), z.unknown()])
  {"output_size":"9K"}: valid
  {"person_url":7}: valid
  {"seed":-1.5}: valid
  "no object": valid
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
