#!/usr/bin/env bash
# The image models of fal and Replicate for the AI SDK submit, and pay, again if the download of a finished image fails once.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --no-audit --no-fund --prefix . ai@7.0.173 @ai-sdk/fal@2.0.59 @ai-sdk/replicate@2.0.57 zod@4.6.7
cat > check.mjs << 'END'
import { createFal } from "@ai-sdk/fal";
import { createReplicate } from "@ai-sdk/replicate";
import { generateImage } from "ai";

const png = Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), Buffer.alloc(64)]);
const url = "https://files.example/look.png";
let changed = false;

/** Generates one image. The first download of the finished image gets 503, as from a busy store. */
async function count(name, create, answer) {
  let [submissions, downloads] = [0, 0];
  const fetch = async (target, { method } = {}) => {
    if (String(target) === url) {
      downloads += 1;
      return downloads === 1 ? new Response("busy", { status: 503 }) : new Response(png);
    }
    if (method === "POST") submissions += 1;
    return Response.json(answer);
  };
  const { images } = await generateImage({ model: create(fetch), prompt: "a shirt" });
  console.log(`${name}: ${images.length} image, ${submissions} paid submissions, ${downloads} downloads`);
  changed ||= submissions !== 2;
}

await count("@ai-sdk/fal 2.0.59", (fetch) => createFal({ apiKey: "key", fetch }).image("fal-ai/flux/dev"), {
  images: [{ url, width: 1, height: 1, content_type: "image/png" }],
});
await count(
  "@ai-sdk/replicate 2.0.57",
  (fetch) => createReplicate({ apiToken: "key", fetch }).image("black-forest-labs/flux-schnell"),
  { output: [url], status: "succeeded" },
);
if (changed) {
  console.log("The behavior has changed.");
  process.exit(1);
}
END
node check.mjs
