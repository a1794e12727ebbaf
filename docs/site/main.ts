// `npm run docs`: builds the site, after it has installed what that takes, once. With `--serve` the site is shown, too.
import { installTools } from "./install-tools.ts";
import { siteFolder } from "./places.ts";
import { serveSite } from "./serve.ts";

const flags = process.argv.slice(2);
const unknown = flags.filter((flag) => flag !== "--serve");
if (unknown.length > 0) {
  process.stderr.write(`Usage: npm run docs [-- --serve]; there is no ${unknown.join(" ")}.\n`);
  process.exit(2);
}
await installTools();
// Loaded late, since it needs what was installed just now.
const { buildSite } = await import("./build.ts");
const count = await buildSite(siteFolder);
process.stdout.write(`${count} pages in ${siteFolder}\n`);
if (flags.includes("--serve")) {
  const { url, close } = await serveSite(siteFolder, 4_020);
  process.stdout.write(`${url} until you press Ctrl+C\n`);
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void close());
}
