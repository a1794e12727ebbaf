import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { build } from "esbuild";

const folder = "packages/mock/src/steering/control/page";

/**
 * The reference server's page for people as a module: one text with style and script in it, so that the server reads no
 * file and the page loads nothing, and the policy that allows just these two.
 */
export async function controlPage(root: string): Promise<string> {
  const [skeleton, style, script] = await Promise.all([
    readFile(join(root, folder, "page.html"), "utf8"),
    bundle(root, "page.css"),
    bundle(root, "main.ts"),
  ]);
  const page = skeleton
    .replace(/<style>.*?<\/style>/s, () => `<style>${style}</style>`)
    .replace(/<script>.*?<\/script>/s, () => `<script>${script}</script>`);
  const policy = [
    "default-src 'none'",
    `style-src '${digest(style)}'`,
    `script-src '${digest(script)}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return [
    `// Made from ${folder} by \`npm run generate\`. Changes made here are lost.\n\n`,
    `export const contentSecurityPolicy =\n  ${JSON.stringify(policy.join("; "))};\n\n`,
    `export const page =\n  ${JSON.stringify(page)};\n`,
  ].join("");
}

async function bundle(root: string, entry: string): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [join(root, folder, entry)],
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    // What stands around the repository has no say in what is made of it.
    tsconfigRaw: {},
  });
  return (outputFiles[0]?.text ?? "").trim();
}

function digest(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
