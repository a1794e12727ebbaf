import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { buildSync } from "esbuild";

const folder = "packages/mock/src/control/page";
const digest = (text: string): string => `'sha256-${hash("sha256", text, "base64")}'`;

/** Bundles the control page into a module: one HTML string, and a policy that allows only its style and script. */
export function controlPage(root: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(root, folder, "page.css"), join(root, folder, "main.tsx")],
    outdir: root,
    bundle: true,
    write: false,
    minify: true,
    target: "es2022",
    charset: "utf8",
    jsx: "automatic",
    jsxImportSource: "preact",
    nodePaths: [join(import.meta.dirname, "../packages/mock/node_modules")],
    // Otherwise esbuild reads a tsconfig.json of a parent folder.
    tsconfigRaw: {},
  });
  const [style = "", script = ""] = outputFiles.map(({ text }) => text.trim());
  const page = readFileSync(join(root, folder, "page.html"), "utf8")
    .replace(/<style>.*?<\/style>/s, () => `<style>${style}</style>`)
    .replace(/<script>.*?<\/script>/s, () => `<script>${script}</script>`);
  const policy = `default-src 'none'; style-src ${digest(style)}; script-src ${digest(script)}; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return [
    `// Generated from ${folder} by \`npm run generate\`. Do not edit.\n\n`,
    `export const contentSecurityPolicy =\n  ${JSON.stringify(policy)};\n\n`,
    `export const page =\n  ${JSON.stringify(page)};\n`,
  ].join("");
}
