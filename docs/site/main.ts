// `npm run docs`: builds the site, and serves it with `--serve`.
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { build, serve } from "vitepress";

import { checkLinks } from "./check-links.ts";
import { writeMarkdown, writePages } from "./pages.ts";
import { writeReference } from "./reference.ts";

const port = 4_020;
const { values } = parseArgs({
  options: {
    base: { type: "string", default: "/" },
    out: { type: "string", default: join(import.meta.dirname, "../../out/site") },
    serve: { type: "boolean", default: false },
  },
});

const root = import.meta.dirname;
const source = join(root, "out/pages");
const outDir = resolve(values.out);
await rm(source, { recursive: true, force: true });
await writePages(source);
await writeReference(source);
await build(root, { base: values.base, outDir });
await writeMarkdown(source, outDir);
checkLinks(outDir, values.base);
if (values.serve) await serve({ root, base: values.base, port });
