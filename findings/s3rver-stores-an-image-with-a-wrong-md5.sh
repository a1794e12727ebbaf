#!/usr/bin/env bash
# s3rver 3.7.1: an upload whose bytes do not match its Content-MD5 is stored.
#
# Expected: 400 BadDigest, as S3 responds, so that a test shows an upload that was damaged on its way.
# What happens: 200 for the right digest and for the digest of other bytes.
# Why it matters: a test of uploads against s3rver passes although the digest is computed over the wrong bytes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent s3rver@3.7.1

cat > check.mjs <<'PROGRAM'
import { createHash } from "node:crypto";

import S3rver from "s3rver";

const server = new S3rver({
  port: 0,
  address: "127.0.0.1",
  silent: true,
  directory: `${process.cwd()}/data`,
  configureBuckets: [{ name: "looks" }],
});
const { port } = await server.run();
const body = "bytes of an image";
const digestOf = (text) => createHash("md5").update(text).digest("base64");
for (const [name, text] of [["right", body], ["wrong", "other bytes"]]) {
  const headers = { "Content-MD5": digestOf(text) };
  const { status } = await fetch(`http://127.0.0.1:${port}/looks/${name}.png`, { method: "PUT", body, headers });
  console.log(`${name} digest: ${status}`);
}
await server.close();
PROGRAM

NODE_NO_WARNINGS=1 node check.mjs | tee actual.txt
diff - actual.txt <<'OUTPUT'
right digest: 200
wrong digest: 200
OUTPUT
echo "The behavior is as described."
