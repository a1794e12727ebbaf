#!/usr/bin/env bash
# nock 15.0.6: a request that no interceptor matches gets a response with status 501, whose body holds the whole request.
#
# Expected: an error, as in nock 14, so that the test fails at the call that it forgot.
# What happens: `fetch` and `http.get` succeed with 501. Its JSON has method, URL, all headers and the body of the request.
# Why it matters: a client takes it for a fault of the service. It retries, and throws an error of the service at the end.
# The test sees a typo in a path as an outage. A client that logs bodies of errors logs the API key of the request.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent nock@15.0.6 nock-14@npm:nock@14.0.17

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import { request } from "node:http";

const [, , name] = process.argv;
const { default: nock } = await import(name);
console.log(`nock ${JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version}`);

nock.disableNetConnect();
nock("http://127.0.0.1:8123").post("/tryons").reply(201, "{}");
const url = "http://127.0.0.1:8123/tryon"; // Without the last letter.
const options = { method: "POST", headers: { "x-shop-note": "a note of the shop" } };
const body = "the body of the request";

async function withFetch() {
  const response = await fetch(url, { ...options, body });
  return [response.status, await response.text()];
}
async function withHttp() {
  const response = await new Promise((resolve, reject) => {
    request(url, options, resolve).on("error", reject).end(body);
  });
  let text = "";
  for await (const chunk of response) text += chunk;
  return [response.statusCode, text];
}
for (const send of [withFetch, withHttp]) {
  try {
    const [status, text] = await send();
    const has = (part) => (text.includes(part) ? "yes" : "no");
    const { code } = JSON.parse(text);
    console.log(`${send.name}: response ${status}, ${code}, has header: ${has("a note of the shop")}, has body: ${has(body)}`);
  } catch {
    console.log(`${send.name}: error`);
  }
}
PROGRAM

cat > expected.txt <<'OUTPUT'
nock 14.0.17
withFetch: error
withHttp: error
nock 15.0.6
withFetch: response 501, ERR_NOCK_NO_MATCH, has header: yes, has body: yes
withHttp: response 501, ERR_NOCK_NO_MATCH, has header: yes, has body: yes
OUTPUT

for name in nock-14 nock; do
  npx --yes --package=node@24.21.0 -- node check.mjs "$name"
done | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
