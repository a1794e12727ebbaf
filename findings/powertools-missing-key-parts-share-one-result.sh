#!/usr/bin/env bash
# @aws-lambda-powertools/idempotency 2.35.0: a key of several parts that are all missing is one key for all requests.
#
# Expected: without a key, the function runs unprotected, as it does for a key of one part.
# What happens: it warns "No value found", and then uses the missing parts as the key.
# The second request gets the stored result of the first one, and the function does not run.
# An HTTP API has lower-case header names and a REST API does not. So `headers."Idempotency-Key"` finds nothing after a move.
# Why it matters: every customer gets the try-on of the first one, until the record expires.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent @aws-lambda-powertools/idempotency@2.35.0

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";

import {
  IdempotencyConfig,
  IdempotencyItemAlreadyExistsError,
  IdempotencyItemNotFoundError,
  makeIdempotent,
} from "@aws-lambda-powertools/idempotency";
import { BasePersistenceLayer } from "@aws-lambda-powertools/idempotency/persistence";

class MemoryLayer extends BasePersistenceLayer {
  records = new Map();
  async _getRecord(key) {
    if (!this.records.has(key)) throw new IdempotencyItemNotFoundError("none");
    return this.records.get(key);
  }
  async _putRecord(record) {
    const earlier = this.records.get(record.idempotencyKey);
    if (earlier) throw new IdempotencyItemAlreadyExistsError("exists", earlier);
    this.records.set(record.idempotencyKey, record);
  }
  async _updateRecord(record) {
    this.records.set(record.idempotencyKey, record);
  }
  async _deleteRecord(record) {
    this.records.delete(record.idempotencyKey);
  }
}

const path = "node_modules/@aws-lambda-powertools/idempotency/package.json";
console.log(`@aws-lambda-powertools/idempotency ${JSON.parse(readFileSync(path, "utf8")).version}`);
process.env.AWS_LAMBDA_FUNCTION_NAME = "try-on";
console.warn = () => console.log("  warning: no value found for the key");
const context = { getRemainingTimeInMillis: () => 10_000 };
// Events of an HTTP API: header names are in lower case.
const events = ["anna", "ben"].map((user) => ({
  headers: { "idempotency-key": `key-of-${user}`, "x-user-id": user },
  body: { person: `${user}.jpg` },
}));
for (const eventKeyJmesPath of [
  'headers."idempotency-key"',
  'headers."Idempotency-Key"',
  '[headers."Idempotency-Key", headers."X-User-Id"]',
]) {
  console.log(eventKeyJmesPath);
  const handler = makeIdempotent(async (event) => ({ image: `try-on of ${event.body.person}` }), {
    persistenceStore: new MemoryLayer(),
    config: new IdempotencyConfig({ eventKeyJmesPath }),
  });
  for (const event of events) {
    const { image } = await handler(event, context);
    console.log(`  ${event.body.person} -> ${image}`);
  }
}
PROGRAM

cat > expected.txt <<'OUTPUT'
@aws-lambda-powertools/idempotency 2.35.0
headers."idempotency-key"
  anna.jpg -> try-on of anna.jpg
  ben.jpg -> try-on of ben.jpg
headers."Idempotency-Key"
  anna.jpg -> try-on of anna.jpg
  ben.jpg -> try-on of ben.jpg
[headers."Idempotency-Key", headers."X-User-Id"]
  warning: no value found for the key
  warning: no value found for the key
  anna.jpg -> try-on of anna.jpg
  warning: no value found for the key
  ben.jpg -> try-on of anna.jpg
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
