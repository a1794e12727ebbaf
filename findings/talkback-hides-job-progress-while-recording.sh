#!/usr/bin/env bash
# talkback 4.2.0: while it records, a poll never sees a new state.
#
# Expected: in the mode that records, requests reach the service, and a later run plays them back in order.
# What happens: an identical request is answered from the tape that was written seconds ago, in the same run.
# The first poll returns "running", and so does each later one. The service sees one poll.
# Why it matters: the first run with the recorder waits until its timeout, although the try-on is ready and charged.
# A retry of the test submits and charges another try-on, which hangs as well.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent talkback@4.2.0

cat > check.mjs <<'PROGRAM'
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

import talkback from "talkback";

console.log(`talkback ${JSON.parse(readFileSync("node_modules/talkback/package.json", "utf8")).version}`);
let polls = 0;
const service = createServer((request, response) => {
  polls += 1;
  const status = polls < 3 ? "running" : "succeeded";
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ status }));
}).listen(0, "127.0.0.1");
await once(service, "listening");
const host = `http://127.0.0.1:${service.address().port}`;

const poll = async (base) => (await (await fetch(`${base}/tryon/job-1`)).json()).status;
const direct = [];
for (let i = 0; i < 5; i += 1) direct.push(await poll(host));
console.log(`without recorder: ${direct.join(", ")}; ${polls} polls`);

polls = 0;
const recorder = talkback({ host, port: 0, path: "tapes", record: talkback.Options.RecordMode.NEW, silent: true });
const server = await recorder.start();
const recorded = [];
for (let i = 0; i < 5; i += 1) recorded.push(await poll(`http://127.0.0.1:${server.address().port}`));
console.log(`while recording: ${recorded.join(", ")}; ${polls} polls`);
server.closeAllConnections();
await recorder.close();
service.close();
service.closeAllConnections();
PROGRAM

cat > expected.txt <<'OUTPUT'
talkback 4.2.0
without recorder: running, running, succeeded, succeeded, succeeded; 5 polls
while recording: running, running, running, running, running; 1 polls
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
