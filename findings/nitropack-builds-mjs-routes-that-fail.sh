#!/usr/bin/env bash
# nitropack, the server of Nuxt 4, builds a route in a .mjs file without its automatic imports: the build succeeds, and each
# request gets 500. The same text in a .ts or .js file works.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --no-audit --no-fund --prefix . nitropack@2.13.4
mkdir -p routes
for extension in js ts mjs; do
  echo 'export default defineEventHandler(() => "called");' > "routes/$extension.$extension"
done
npx nitropack build > build.log 2>&1
echo "nitropack $(node -p 'require("./node_modules/nitropack/package.json").version'), the build has succeeded:"
cat > check.mjs << 'END'
import { spawn } from "node:child_process";
import { createServer } from "node:net";

const free = createServer().listen(0, "127.0.0.1");
await new Promise((listening) => free.once("listening", listening));
const { port } = free.address();
await new Promise((closed) => free.close(closed));
const env = { ...process.env, PORT: String(port), NITRO_HOST: "127.0.0.1" };
const server = spawn(process.execPath, [".output/server/index.mjs"], { env, stdio: ["ignore", "ignore", "pipe"] });
let log = "";
server.stderr.on("data", (text) => (log += text));
const url = `http://127.0.0.1:${port}`;
while (!(await fetch(url).catch(() => undefined))) await new Promise((later) => setTimeout(later, 50));
const seen = [];
for (const extension of ["js", "ts", "mjs"]) {
  const { status } = await fetch(`${url}/${extension}`);
  console.log(`  route in a .${extension} file: ${status}`);
  seen.push(status);
}
server.kill("SIGKILL");
const reason = /ReferenceError: .*/.exec(log)?.[0];
console.log(`  ${reason}`);
if (seen.join() !== "200,200,500" || reason !== "ReferenceError: defineEventHandler is not defined") {
  console.log("The behavior has changed.");
  process.exit(1);
}
END
node check.mjs
