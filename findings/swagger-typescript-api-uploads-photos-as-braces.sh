#!/usr/bin/env bash
# swagger-typescript-api 13.13.0: the generated fetch client uploads a list of photos as the text "[{},{}]".
#
# Expected: a property of type File[] becomes one part for each file, as the generated type promises.
# What happens: the client with fetch converts each list to JSON, so the files are empty objects.
# The client with axios, from the same generator and contract, appends each file.
# Both send a value that is undefined or null as the text "undefined" or "null".
# Why it matters: the types are correct and the request is sent, so the compiler and the client report nothing.
# A service that ignores an unreadable garment, or uses the prompt "undefined", charges for a wrong image.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent swagger-typescript-api@13.13.0 axios@1.21.1 esbuild@0.25.12

cat > check.mjs <<'PROGRAM'
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

import { transform } from "esbuild";
import { generateApi } from "swagger-typescript-api";

const { version } = JSON.parse(readFileSync("node_modules/swagger-typescript-api/package.json", "utf8"));
console.log(`swagger-typescript-api ${version}`);
const file = { type: "string", format: "binary" };
const schema = {
  type: "object",
  required: ["person", "garments"],
  properties: {
    person: file,
    garments: { type: "array", items: file },
    prompt: { type: "string" },
    seed: { type: "integer", nullable: true },
  },
};
const post = {
  operationId: "submit",
  requestBody: { required: true, content: { "multipart/form-data": { schema } } },
  responses: { 204: { description: "Accepted" } },
};
const spec = { openapi: "3.0.3", info: { title: "Try-on", version: "1" }, paths: { "/tryon": { post } } };
let form;
const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  form = await new Response(Buffer.concat(chunks), { headers: { "content-type": request.headers["content-type"] } }).formData();
  response.writeHead(204).end();
}).listen(0, "127.0.0.1");
await once(server, "listening");
const baseUrl = `http://127.0.0.1:${server.address().port}`;
for (const httpClientType of ["fetch", "axios"]) {
  const { files } = await generateApi({ spec, output: false, httpClientType, silent: true });
  const source = files.map(({ fileContent }) => fileContent).join("\n");
  const [type] = /garments: \S+?(?=;)/.exec(source);
  const { code } = await transform(source, { loader: "ts" });
  const path = join(process.cwd(), `${httpClientType}.mjs`);
  writeFileSync(path, code);
  const { Api } = await import(path);
  const api = new Api(httpClientType === "fetch" ? { baseUrl } : { baseURL: baseUrl });
  const garments = ["shirt", "hat"].map((name) => new File([name], `${name}.png`, { type: "image/png" }));
  await api.tryon.submit({ person: new File(["anna"], "me.jpg"), garments, prompt: undefined, seed: null });
  const parts = [...form].map(([name, value]) => `${name}=${typeof value === "string" ? JSON.stringify(value) : value.name}`);
  console.log(`${httpClientType}: type ${type}; sent ${parts.join(", ")}`);
}
server.close();
server.closeAllConnections();
PROGRAM

cat > expected.txt <<'OUTPUT'
swagger-typescript-api 13.13.0
fetch: type garments: File[]; sent person=me.jpg, garments="[{},{}]", prompt="undefined", seed="null"
axios: type garments: File[]; sent person=me.jpg, garments=shirt.png, garments=hat.png, prompt="undefined", seed="null"
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
