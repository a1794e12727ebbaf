#!/usr/bin/env bash
# axios-retry 4.5.0, retry-axios 4.0.3, got 16.1.0 and ofetch 1.5.1: a hook that adds an idempotency key runs again for each attempt.
#
# Expected: a hook for requests runs once for each call, so all attempts have the key that it adds.
# What happens: with axios-retry and retry-axios, the interceptors of axios run again, as does `beforeRequest` of got and `onRequest` of ofetch.
# Three attempts of one call have three keys. ky 2.1.0 (`beforeRequest`) and wretch 3.0.9 (`defer`) run their hook once.
# Why it matters: such a hook is the usual place for a header that all requests need, and the tests of its key pass until a request is retried.
# A service that has done the work before its response was lost does it again for the new key, and charges again.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent \
  axios@1.21.1 axios-retry@4.5.0 retry-axios@4.0.3 got@16.1.0 ofetch@1.5.1 ky@2.1.0 wretch@3.0.9

cat > check.mjs <<'PROGRAM'
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

import axios from "axios";
import axiosRetry from "axios-retry";
import got from "got";
import ky from "ky";
import { ofetch } from "ofetch";
import * as rax from "retry-axios";
import wretch from "wretch";
import { retry } from "wretch/middlewares";

let keys = [];
const server = createServer((request, response) => {
  keys.push(request.headers["idempotency-key"]);
  request.resume();
  response.writeHead(keys.length < 3 ? 503 : 200, { "content-type": "application/json" }).end("{}");
}).listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}/tryon`;
const body = { person_url: "https://shop.example/me.jpg" };

function axiosWithKey() {
  const client = axios.create();
  client.interceptors.request.use((config) => {
    config.headers.set("Idempotency-Key", randomUUID());
    return config;
  });
  return client;
}

const calls = {
  async "axios-retry"() {
    const client = axiosWithKey();
    axiosRetry(client, { retries: 3, retryCondition: () => true, retryDelay: () => 1 });
    await client.post(url, body);
  },
  async "retry-axios"() {
    const client = axiosWithKey();
    rax.attach(client);
    const raxConfig = { retry: 3, retryDelay: 1, backoffType: "static", httpMethodsToRetry: ["POST"] };
    await client.post(url, body, { raxConfig });
  },
  async got() {
    const addKey = (options) => void (options.headers["idempotency-key"] = randomUUID());
    const again = { limit: 3, methods: ["POST"], calculateDelay: ({ computedValue }) => computedValue && 1 };
    await got.post(url, { json: body, retry: again, hooks: { beforeRequest: [addKey] } });
  },
  async ofetch() {
    const onRequest = ({ options }) => options.headers.set("Idempotency-Key", randomUUID());
    await ofetch(url, { method: "POST", body, retry: 3, retryDelay: 1, onRequest });
  },
  async ky() {
    const addKey = ({ request }) => request.headers.set("Idempotency-Key", randomUUID());
    const again = { limit: 3, methods: ["post"], delay: () => 1 };
    await ky.post(url, { json: body, retry: again, hooks: { beforeRequest: [addKey] } });
  },
  async wretch() {
    const again = retry({ delayTimer: 1, maxAttempts: 3, until: (response) => response?.ok });
    const addKey = (request) => request.headers({ "Idempotency-Key": randomUUID() });
    await wretch(url).middlewares([again]).defer(addKey).post(body).json();
  },
};
for (const [name, call] of Object.entries(calls)) {
  keys = [];
  await call();
  const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
  console.log(`${name} ${version}: ${keys.length} attempts, ${new Set(keys).size} keys`);
}
server.close();
server.closeAllConnections();
PROGRAM

cat > expected.txt <<'OUTPUT'
axios-retry 4.5.0: 3 attempts, 3 keys
retry-axios 4.0.3: 3 attempts, 3 keys
got 16.1.0: 3 attempts, 3 keys
ofetch 1.5.1: 3 attempts, 3 keys
ky 2.1.0: 3 attempts, 1 keys
wretch 3.0.9: 3 attempts, 1 keys
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
