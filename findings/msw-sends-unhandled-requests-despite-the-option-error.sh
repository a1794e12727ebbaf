#!/usr/bin/env bash
# msw 3.0.5: `onUnhandledRequest: "error"` has no effect, so a request without a handler reaches the service.
#
# Expected: the option of msw 2 works, or `listen` refuses an option that it does not have.
# What happens: the option is named `onUnhandledFrame` since msw 3. The old name is ignored, and the default applies:
# a warning about the request on the console, and no word about the option. The request goes to the network.
# Why it matters: after the upgrade, a test in JavaScript without a handler for a path submits to the real service.
# The try-on is charged, and the test passes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent msw@3.0.5 msw-2@npm:msw@2.15.0

cat > check.mjs <<'PROGRAM'
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const server = createServer((request, response) => response.end("from the service")).listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}`;
let printed = [];
console.warn = console.error = (text) => printed.push(text);

for (const name of ["msw-2", "msw"]) {
  const { http, HttpResponse } = await import(name);
  const { setupServer } = await import(`${name}/node`);
  console.log(`msw ${JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version}`);
  for (const option of name === "msw" ? ["onUnhandledRequest", "onUnhandledFrame"] : ["onUnhandledRequest"]) {
    printed = [];
    const mock = setupServer(http.get(`${url}/known`, () => HttpResponse.text("from the handler")));
    mock.listen({ [option]: "error" });
    const get = (path) => fetch(url + path).then((response) => response.text(), () => "error");
    console.log(`  ${option}: /known ${await get("/known")}, /unknown ${await get("/unknown")}`);
    const lines = printed.map((text) => String(text).split("\n")[0]);
    console.log(`  printed: ${lines.join("; ")}`);
    console.log(`  names the option: ${printed.some((text) => String(text).includes(option)) ? "yes" : "no"}`);
    mock.close();
  }
}
server.close();
server.closeAllConnections();
PROGRAM

cat > expected.txt <<'OUTPUT'
msw 2.15.0
  onUnhandledRequest: /known from the handler, /unknown error
  printed: [MSW] Error: intercepted a request without a matching request handler:
  names the option: no
msw 3.0.5
  onUnhandledRequest: /known from the handler, /unknown from the service
  printed: [MSW] Warning: intercepted a request without a matching request handler:
  names the option: no
  onUnhandledFrame: /known from the handler, /unknown error
  printed: [MSW] Error: intercepted a request without a matching request handler:
  names the option: no
OUTPUT

npx --yes --package=node@24.21.0 -- node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
