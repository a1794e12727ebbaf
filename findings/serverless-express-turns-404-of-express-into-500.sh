#!/usr/bin/env bash
# Behind @codegenie/serverless-express, a request for which an Express 5 app has no route gets 500 instead of 404.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --no-audit --no-fund --prefix . @codegenie/serverless-express@5.0.0 express@5.3.0
cat > check.mjs << 'END'
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import serverlessExpress from "@codegenie/serverless-express";
import express from "express";

const app = express();
app.post("/orders", (_request, response) => response.sendStatus(204));
const handler = serverlessExpress({ app, log: { error() {}, debug() {}, info() {}, warn() {} } });
const eventOf = (method, path) => ({
  version: "2.0",
  routeKey: "$default",
  rawPath: path,
  rawQueryString: "",
  headers: { host: "shop.example" },
  requestContext: { stage: "$default", http: { method, path, sourceIp: "127.0.0.1" } },
  isBase64Encoded: false,
});
const lambda = async (method, path) => (await handler(eventOf(method, path), {})).statusCode;

const server = createServer(app).listen(0, "127.0.0.1");
await new Promise((listening) => server.once("listening", listening));
const url = `http://127.0.0.1:${server.address().port}`;
const direct = async (method, path) => (await fetch(url + path, { method })).status;

const versionOf = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version;
console.log(`express ${versionOf("express")}, @codegenie/serverless-express ${versionOf("@codegenie/serverless-express")}:`);
const seen = [];
for (const [method, path] of [["POST", "/orders"], ["GET", "/orders"], ["GET", "/unknown"]]) {
  const statuses = [await direct(method, path), await lambda(method, path)];
  console.log(`  ${method} ${path}: ${statuses[0]} from the app, ${statuses[1]} from the function`);
  seen.push(...statuses);
}
server.close();
if (seen.join() !== "204,204,404,500,404,500") {
  console.log("The behavior has changed.");
  process.exit(1);
}
END
node check.mjs
