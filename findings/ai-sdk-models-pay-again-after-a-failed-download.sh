#!/usr/bin/env bash
# The image models of fal and Replicate for the AI SDK submit, and pay, again if a response or the download of a finished image
# fails. If one of several images fails, the AI SDK returns none of them.
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
const models = {
  "@ai-sdk/fal 2.0.59": [
    (fetch) => createFal({ apiKey: "key", fetch }).image("fal-ai/flux/dev"),
    { images: [{ url, width: 1, height: 1, content_type: "image/png" }] },
  ],
  "@ai-sdk/replicate 2.0.57": [
    (fetch) => createReplicate({ apiToken: "key", fetch }).image("black-forest-labs/flux-schnell"),
    { output: [url], status: "succeeded" },
  ],
};

/** Faults: what a submission or a download gets, by its number. Each submission that arrives is paid. */
const busy = () => new Response("busy", { status: 503 });
const lost = () => {
  throw Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNRESET" } });
};
const faults = [
  ["first download fails", 1, { download: (number) => number === 1 && busy() }, "1 image, 2 paid"],
  ["each download fails", 1, { download: busy }, "no image, 3 paid"],
  ["response of a submission is lost", 1, { submit: (number) => number === 1 && lost() }, "1 image, 2 paid"],
  [
    "one of three images is gone",
    3,
    { download: (number) => number === 2 && new Response("gone", { status: 404 }) },
    "no image, 3 paid",
  ],
];

let changed = false;
for (const [fault, n, { submit, download }, expected] of faults) {
  for (const [name, [create, answer]] of Object.entries(models)) {
    let [submissions, downloads] = [0, 0];
    const fetch = async (target, { method } = {}) => {
      if (String(target) === url) return download?.((downloads += 1)) || new Response(png);
      if (method !== "POST") return Response.json(answer);
      submissions += 1;
      return submit?.(submissions) || Response.json(answer);
    };
    const { images } = await generateImage({
      model: create(fetch),
      prompt: "a shirt",
      n,
      maxImagesPerCall: 1,
    }).catch(() => ({ images: [] }));
    const seen = `${images.length === 0 ? "no" : images.length} image, ${submissions} paid`;
    console.log(`${name}, ${fault}: ${seen}`);
    changed ||= seen !== expected;
  }
}
if (changed) {
  console.log("The behavior has changed.");
  process.exit(1);
}
END
node check.mjs
