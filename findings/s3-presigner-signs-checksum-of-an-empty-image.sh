#!/usr/bin/env bash
# @aws-sdk/s3-request-presigner 3.1169.0: a signed URL for an upload has the checksum of an empty body.
#
# Expected: a URL that a browser, or a job without AWS code, uses to upload an image whose bytes are not known yet.
# What happens: by default, the URL has `x-amz-checksum-crc32=AAAAAA==`, the CRC-32 of no bytes. It is signed, so it cannot be
# removed. With `requestChecksumCalculation: "WHEN_REQUIRED"` the URL has none.
# Why it matters: a store that compares the checksum refuses every image but an empty one.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent \
  @aws-sdk/client-s3@3.1169.0 @aws-sdk/s3-request-presigner@3.1169.0

cat > check.mjs <<'PROGRAM'
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";

const credentials = { accessKeyId: "id", secretAccessKey: "secret" };
for (const requestChecksumCalculation of [undefined, "WHEN_REQUIRED"]) {
  const client = new S3Client({ region: "eu-central-1", credentials, requestChecksumCalculation });
  const command = new PutObjectCommand({ Bucket: "looks", Key: "look.png", ContentType: "image/png" });
  const { searchParams } = new URL(await getSignedUrl(client, command));
  const checksum = searchParams.get("x-amz-checksum-crc32");
  console.log(`${requestChecksumCalculation ?? "default"}: ${checksum ?? "no checksum"}`);
}
PROGRAM

NODE_NO_WARNINGS=1 node check.mjs | tee actual.txt
diff - actual.txt <<'OUTPUT'
default: AAAAAA==
WHEN_REQUIRED: no checksum
OUTPUT
echo "The behavior is as described."
