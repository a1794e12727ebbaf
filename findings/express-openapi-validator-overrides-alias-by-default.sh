#!/usr/bin/env bash
# express-openapi-validator 5.6.2: the default of a field is added beside its alias, and then wins.
#
# Expected: a valid request reaches the handler as the client sent it.
# What happens: the validator adds each `default` of the schema to the body.
# The schema has `output_size` with the default "1K", and the alias `size`. A request with `size: "4K"` gets `output_size: "1K"`, too.
# Where the canonical name wins over its aliases, the request now asks for 1K.
# Why it matters: a gateway that checks requests against the contract changes what the customer ordered.
# The body also differs from the one that was sent under the idempotency key before the gateway had the validator.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent express-openapi-validator@5.6.2 express@5.3.0

cat > check.mjs <<'PROGRAM'
import { once } from "node:events";
import { readFileSync } from "node:fs";

import express from "express";
import validator from "express-openapi-validator";

const path = "node_modules/express-openapi-validator/package.json";
console.log(`express-openapi-validator ${JSON.parse(readFileSync(path, "utf8")).version}`);
const size = { type: "string", enum: ["1K", "2K", "4K"] };
const apiSpec = {
  openapi: "3.1.0",
  info: { title: "Try-on", version: "1" },
  paths: {
    "/tryon": {
      post: {
        requestBody: {
          content: {
            "application/json": {
              schema: {
                type: "object",
                properties: {
                  person_url: { type: "string" },
                  output_size: { ...size, default: "1K", description: "`size` is an alias. `output_size` wins." },
                  size,
                  wait: { type: "boolean", default: true, description: "Wins over `mode`." },
                  mode: { type: "string", enum: ["sync", "async"] },
                },
              },
            },
          },
        },
        responses: { 200: { description: "Job" } },
      },
    },
  },
};
const app = express();
app.use(express.json());
app.use(validator.middleware({ apiSpec, validateRequests: true }));
app.post("/tryon", (request, response) => response.json(request.body));
const server = app.listen(0, "127.0.0.1");
await once(server, "listening");
const body = JSON.stringify({ person_url: "https://shop.example/me.jpg", size: "4K", mode: "async" });
const response = await fetch(`http://127.0.0.1:${server.address().port}/tryon`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body,
});
console.log(`sent:    ${body}`);
console.log(`handler: ${await response.text()}`);
server.close();
server.closeAllConnections();
PROGRAM

cat > expected.txt <<'OUTPUT'
express-openapi-validator 5.6.2
sent:    {"person_url":"https://shop.example/me.jpg","size":"4K","mode":"async"}
handler: {"person_url":"https://shop.example/me.jpg","size":"4K","mode":"async","output_size":"1K","wait":true}
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
