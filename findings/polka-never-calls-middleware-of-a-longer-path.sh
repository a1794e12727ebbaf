#!/usr/bin/env bash
# Middleware that polka mounts at a path of two segments is never called, and no error says so. Express calls it.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --no-audit --no-fund --prefix . polka@0.5.2 express@5.3.0
cat > check.mjs << 'END'
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import express from "express";
import polka from "polka";

const respond = (_request, response) => response.end("called");
async function statuses(handler) {
  const server = createServer(handler).listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const url = `http://127.0.0.1:${server.address().port}`;
  const found = [];
  for (const path of ["/one/more", "/api/two/more"]) found.push((await fetch(url + path)).status);
  server.close();
  return found;
}
const versionOf = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version;
const ofPolka = await statuses(polka().use("/one", respond).use("/api/two", respond).handler);
const ofExpress = await statuses(express().use("/one", respond).use("/api/two", respond));
console.log(`use("/one") and use("/api/two"), requests for /one/more and /api/two/more:`);
console.log(`  polka ${versionOf("polka")}: ${ofPolka.join(", ")}`);
console.log(`  express ${versionOf("express")}: ${ofExpress.join(", ")}`);
if (`${ofPolka} ${ofExpress}` !== "200,404 200,200") {
  console.log("The behavior has changed.");
  process.exit(1);
}
END
node check.mjs
