/*
 * Program that sends requests to `TRYON_BASE_URL` that show open points, after the script of examples/node has made a
 * try-on from files and has resumed it. It prints nothing but errors.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { assetPath, root } from "@tryon/test-kit/repository";

import { images } from "../src/images.ts";

const baseUrl = process.env["TRYON_BASE_URL"] ?? "";
const key = process.env["TRYON_API_KEY"] ?? "";
const cwd = mkdtempSync(join(tmpdir(), "tryon-recorded-"));
const script = join(root, "examples/node/src/try-on.ts");
const run = (...args: readonly string[]): string =>
  execFileSync(process.execPath, [...process.execArgv, script, ...args], { cwd, encoding: "utf8" });

const [, job = ""] = /(job_\w+)/.exec(run(...["person.jpg", "shirt.png"].map(assetPath))) ?? [];
run("--out", "again.png", "--resume", job);
rmSync(cwd, { recursive: true });

async function send(
  method: string,
  path: string,
  fields?: object | string,
  own: string | null = key,
): Promise<void> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    redirect: "manual",
    headers: {
      ...(own !== null && { authorization: `Bearer ${own}` }),
      ...(fields && { "content-type": "application/json", "idempotency-key": "order-1" }),
    },
    ...(fields && { body: typeof fields === "string" ? fields : JSON.stringify(fields) }),
  });
  await response.arrayBuffer();
}

const submission = {
  person_image_b64: images.person,
  garment_images_b64: [images.garment],
  output_size: "2K",
  wait: true,
};
await send("GET", "/api/discovery", undefined, null);
await send("GET", "/api/v1/account");
await send("GET", "/api/v1/account/");
await send("POST", "/api/v1/tryon", submission);
await send("POST", "/api/v1/tryon", submission);
await send("POST", "/api/v1/tryon", "{");
await send("GET", "/api/v1/tryon?limit=0");
await send("GET", "/api/v1/tryon?cursor=nowhere");
await send("GET", "/api/v1/tryon?limit=10");
