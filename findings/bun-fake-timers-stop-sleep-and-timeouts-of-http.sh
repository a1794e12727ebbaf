#!/usr/bin/env bash
# bun 1.4.5: `jest.useFakeTimers()` also stops Bun.sleep, AbortSignal.timeout, timeouts of HTTP and timers that were taken before.
#
# Expected: as in jest, the global timer functions are replaced. What a module or the runtime took before is real.
# What happens: timers stop below the functions, so also within `node:http`, `AbortSignal.timeout` and `Bun.sleep`.
# A fetch gets no response if a server in the same process delays it by a timer that it took before.
# Why it matters: a fake service in the test process keeps the real timers for its delays, as it does in jest.
# In Bun, its response never comes, and no timeout of the client ends the call. Only the limit of the test does.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' > package.json
npm install --no-audit --no-fund --silent bun@1.4.5 jest@30.5.2

cat > timers.test.js <<'PROGRAM'
const { appendFileSync } = require("node:fs");
const { once } = require("node:events");
const { createServer, get } = require("node:http");
const timers = require("node:timers/promises");

const taken = { setTimeout, setImmediate };
const runtime = globalThis.Bun ? "bun" : "jest";
let url;
const waits = {
  "setTimeout taken before": () => new Promise((resolve) => taken.setTimeout(resolve, 10)),
  "node:timers/promises": () => timers.setTimeout(10),
  "AbortSignal.timeout": () => once(AbortSignal.timeout(10), "abort"),
  "timeout of node:http": () => once(get(`${url}/never`, { timeout: 10 }).on("error", () => {}), "timeout"),
  "fetch": () => fetch(`${url}/now`),
  "fetch, delayed by the server": () => fetch(`${url}/later`),
};
if (runtime === "bun") waits["Bun.sleep"] = () => Bun.sleep(10);

/** Returns whether the wait ends. Needs no timer, so it comes to its end with each kind of timers. */
async function ends(wait) {
  let result = "waits";
  wait().then(
    () => (result = "ends"),
    (error) => (result = error.message),
  );
  for (let i = 0; i < 200 && result === "waits"; i += 1) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    await new Promise((resolve) => taken.setImmediate(resolve));
  }
  return result;
}

for (const kind of ["real", "fake"]) {
  test(kind, async () => {
    const server = createServer((request, response) => {
      if (request.url === "/now") response.end();
      if (request.url === "/later") taken.setTimeout(() => response.end(), 10);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${server.address().port}`;
    if (kind === "fake") jest.useFakeTimers();
    const results = [];
    for (const [name, wait] of Object.entries(waits)) results.push(`  ${name} ${await ends(wait)}\n`);
    jest.useRealTimers();
    appendFileSync("actual.txt", `${runtime}, ${kind} timers:\n${results.join("")}`);
    server.close();
    server.closeAllConnections();
  }, 60_000);
}
PROGRAM

cat > expected.txt <<'OUTPUT'
jest 30.5.2
jest, real timers:
  setTimeout taken before ends
  node:timers/promises ends
  AbortSignal.timeout ends
  timeout of node:http ends
  fetch ends
  fetch, delayed by the server ends
jest, fake timers:
  setTimeout taken before ends
  node:timers/promises ends
  AbortSignal.timeout ends
  timeout of node:http ends
  fetch ends
  fetch, delayed by the server ends
bun 1.4.5
bun, real timers:
  setTimeout taken before ends
  node:timers/promises ends
  AbortSignal.timeout ends
  timeout of node:http ends
  fetch ends
  fetch, delayed by the server ends
  Bun.sleep ends
bun, fake timers:
  setTimeout taken before waits
  node:timers/promises waits
  AbortSignal.timeout waits
  timeout of node:http waits
  fetch ends
  fetch, delayed by the server waits
  Bun.sleep waits
OUTPUT

echo "jest $(npx jest --version)" > actual.txt
npx jest --silent > jest.txt 2>&1 || cat jest.txt
echo "bun $(npx bun --version)" >> actual.txt
npx bun test > bun.txt 2>&1 || cat bun.txt
cat actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
