#!/usr/bin/env bash
# ratelimit-header-parser 0.1.0 with express-rate-limit 8.7.5: the reset is in 1970, or not a number.
#
# Expected: `Retry-After: 30` gives a reset in 30 seconds. The headers of draft 8 give limit, remaining and reset.
# What happens: the seconds of `Retry-After` are taken for a Unix time.
# The reset is 30 s after the start of 1970.
# With `standardHeaders: "draft-8"`, all numbers are NaN and the date is invalid. No value is undefined.
# Both packages are from one author.
# Why it matters: a client that waits until the reset waits 0 ms, and sends into the limit.
# `remaining < 1` is false for NaN, so a client never stops at the limit.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent ratelimit-header-parser@0.1.0 express-rate-limit@8.7.5 express@5.3.0

cat > check.mjs <<'PROGRAM'
import { once } from "node:events";
import { readFileSync } from "node:fs";

import express from "express";
import { rateLimit } from "express-rate-limit";
import { parseRateLimit } from "ratelimit-header-parser";

for (const name of ["ratelimit-header-parser", "express-rate-limit"]) {
  console.log(`${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version}`);
}
const show = (title, info) => {
  const wait = Math.round((info.reset - Date.now()) / 1_000);
  const plan = wait > 0 ? `waits about ${Math.round(wait / 10) * 10} s` : wait <= 0 ? "waits 0 s" : "waits NaN s";
  const stops = info.remaining < 1;
  console.log(`${title}: remaining ${info.remaining}, stops at the limit: ${stops}, ${plan}`);
};
show("Retry-After", parseRateLimit({ "x-ratelimit-limit": "60", "x-ratelimit-remaining": "0", "retry-after": "30" }));
for (const standardHeaders of ["draft-7", "draft-8"]) {
  const app = express();
  app.use(rateLimit({ windowMs: 60_000, limit: 1, standardHeaders, legacyHeaders: false }));
  app.get("/", (request, response) => response.end());
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { headers } = await fetch(`http://127.0.0.1:${server.address().port}/`);
  // Without Retry-After, which draft 8 sends as well.
  show(standardHeaders, parseRateLimit(new Headers([...headers].filter(([name]) => name.startsWith("ratelimit")))));
  server.close();
  server.closeAllConnections();
}
PROGRAM

cat > expected.txt <<'OUTPUT'
ratelimit-header-parser 0.1.0
express-rate-limit 8.7.5
Retry-After: remaining 0, stops at the limit: true, waits 0 s
draft-7: remaining 0, stops at the limit: true, waits about 60 s
draft-8: remaining NaN, stops at the limit: false, waits NaN s
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
