#!/usr/bin/env bash
# httpsnippet 3.0.10: generated JavaScript uploads the name of the photo instead of the photo.
#
# Expected: code for a HAR request with a file reads or asks for that file.
# What happens: the target "javascript fetch" appends the file name as a text field.
# The target "python requests" sends the text "open('me.png', 'rb')", because the call is in quotes.
# Only the target "shell curl" sends the file.
# Why it matters: documentation and support teams give such code to customers.
# The service gets six bytes of text as the person's photo, and the code reports no error.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent httpsnippet@3.0.10

cat > check.mjs <<'PROGRAM'
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

import httpsnippet from "httpsnippet";

console.log(`httpsnippet ${JSON.parse(readFileSync("node_modules/httpsnippet/package.json", "utf8")).version}`);
const server = createServer(async (request, response) => {
  const form = await new Response(request, { headers: request.headers }).formData();
  const person = form.get("person");
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ isFile: typeof person !== "string", value: String(person) }));
}).listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}/tryon`;
const snippet = new httpsnippet.HTTPSnippet({
  method: "POST",
  url,
  headers: [{ name: "Content-Type", value: "multipart/form-data" }],
  postData: { mimeType: "multipart/form-data", params: [{ name: "person", fileName: "me.png", contentType: "image/png" }] },
});
const curl = snippet.convert("shell", "curl");
console.log(`shell curl:        ${curl.match(/--form .*/)[0]}`);
console.log(`python requests:   ${snippet.convert("python", "requests").match(/files = .*/)[0]}`);
const code = snippet.convert("javascript", "fetch");
console.log(`javascript fetch:  ${code.match(/form\.append.*/)[0]}`);
const log = [];
const AsyncFunction = (async () => {}).constructor;
await new AsyncFunction("console", code)({ log: (value) => log.push(value), error: (error) => log.push(String(error)) });
console.log(`the server gets:   ${JSON.stringify(log[0])}`);
server.close();
server.closeAllConnections();
PROGRAM

cat > expected.txt <<'OUTPUT'
httpsnippet 3.0.10
shell curl:        --form person=@me.png
python requests:   files = { "person": "open('me.png', 'rb')" }
javascript fetch:  form.append('person', 'me.png');
the server gets:   {"isFile":false,"value":"me.png"}
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
