#!/usr/bin/env bash
# @pollyjs/core 6.0.6 (Polly.JS): a request with a fresh idempotency key never matches its recording.
#
# Expected: the second run of a test is played back, and the service gets no request.
# What happens: all request headers are part of the match, and `Idempotency-Key` is new in each run.
# By default, Polly sends what has no recording to the service, adds it to the HAR and reports nothing.
# Why it matters: the tests are green, and each run in CI submits and pays for each try-on.
# The HAR keeps one entry, so its size does not show it.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent @pollyjs/core@6.0.6 @pollyjs/adapter-fetch@6.0.7 @pollyjs/persister-fs@6.0.6

cat > check.mjs <<'PROGRAM'
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";

import fetchAdapter from "@pollyjs/adapter-fetch";
import core from "@pollyjs/core";
import filePersister from "@pollyjs/persister-fs";

const { Polly } = core;
Polly.register(fetchAdapter.default ?? fetchAdapter);
Polly.register(filePersister.default ?? filePersister);
console.log(`@pollyjs/core ${JSON.parse(readFileSync("node_modules/@pollyjs/core/package.json", "utf8")).version}`);
let charges = 0;
const server = createServer(async (request, response) => {
  for await (const chunk of request) void chunk;
  charges += 1;
  response.writeHead(200, { "content-type": "application/json" }).end("{}");
}).listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}/tryon`;

for (const [title, createKey] of [["fixed-key", () => "k1"], ["fresh-key", randomUUID]]) {
  charges = 0;
  for (let run = 1; run <= 3; run += 1) {
    const polly = new Polly(title, {
      adapters: ["fetch"],
      persister: "fs",
      persisterOptions: { fs: { recordingsDir: "recordings" } },
    });
    const headers = { "content-type": "application/json", "idempotency-key": createKey() };
    await fetch(url, { method: "POST", headers, body: '{"garment":"shirt"}' });
    await polly.stop();
  }
  const folder = readdirSync("recordings").find((name) => name.startsWith(title));
  const { entries } = JSON.parse(readFileSync(`recordings/${folder}/recording.har`, "utf8")).log;
  console.log(`${title}: 3 runs, ${charges} charges, ${entries.length} entries in the HAR`);
}
server.close();
server.closeAllConnections();
PROGRAM

cat > expected.txt <<'OUTPUT'
@pollyjs/core 6.0.6
fixed-key: 3 runs, 1 charges, 1 entries in the HAR
fresh-key: 3 runs, 3 charges, 1 entries in the HAR
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
