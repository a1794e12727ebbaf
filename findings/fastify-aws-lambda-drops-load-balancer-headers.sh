#!/usr/bin/env bash
# @fastify/aws-lambda 6.4.1: behind a load balancer with multi-value headers, most request headers are lost.
#
# Expected: such an event has only `multiValueHeaders`, and each header reaches the app.
# What happens: only headers with two or more values are taken from `multiValueHeaders`. Each header with one value is dropped.
# Why it matters: a webhook arrives without its signature header, so each delivery gets 401 and is retried in vain.
# A submission arrives without `Idempotency-Key` and `Authorization`.
# The same app works behind API Gateway, which sends `headers` as well.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent @fastify/aws-lambda@6.4.1 fastify@5.12.8

cat > check.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";

import awsLambdaFastify from "@fastify/aws-lambda";
import Fastify from "fastify";

console.log(`@fastify/aws-lambda ${JSON.parse(readFileSync("node_modules/@fastify/aws-lambda/package.json", "utf8")).version}`);
const app = Fastify();
app.addContentTypeParser("*", { parseAs: "buffer" }, (request, body, done) => done(null, body));
app.post("/webhook", async ({ headers }) => ({
  signature: headers["x-signature"] ?? "missing",
  key: headers["idempotency-key"] ?? "missing",
  forwarded: headers["x-forwarded-for"] ?? "missing",
}));
const handler = awsLambdaFastify(app);
const fields = {
  "content-type": ["application/json"],
  "x-signature": ["sha256=aa"],
  "idempotency-key": ["k1"],
  "x-forwarded-for": ["10.0.0.1", "10.0.0.2"],
};
const event = { httpMethod: "POST", path: "/webhook", body: "{}", isBase64Encoded: false };
const elb = { elb: { targetGroupArn: "arn:aws:elasticloadbalancing:eu-west-1:1:targetgroup/a/b" } };
const single = Object.fromEntries(Object.entries(fields).map(([name, values]) => [name, values.at(-1)]));
for (const [title, invocation] of [
  ["API Gateway, headers and multiValueHeaders", { ...event, requestContext: {}, headers: single, multiValueHeaders: fields }],
  ["load balancer, headers", { ...event, requestContext: elb, headers: single }],
  ["load balancer, multiValueHeaders", { ...event, requestContext: elb, multiValueHeaders: fields }],
]) {
  console.log(`${title}: ${(await handler(invocation, {})).body}`);
}
await app.close();
PROGRAM

cat > expected.txt <<'OUTPUT'
@fastify/aws-lambda 6.4.1
API Gateway, headers and multiValueHeaders: {"signature":"sha256=aa","key":"k1","forwarded":"10.0.0.1, 10.0.0.2"}
load balancer, headers: {"signature":"sha256=aa","key":"k1","forwarded":"10.0.0.2"}
load balancer, multiValueHeaders: {"signature":"missing","key":"missing","forwarded":"10.0.0.1, 10.0.0.2"}
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
