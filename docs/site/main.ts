// `npm run docs`: builds the site, after it has installed what that takes, once. With `--serve` the site is shown, too.
import { parseArgs } from "node:util";

import { installTools } from "./install-tools.ts";
import { siteFolder } from "./places.ts";
import { serveSite } from "./serve.ts";

const port = 4_020;
const { values } = parseArgs({
  options: {
    serve: { type: "boolean", default: false },
    out: { type: "string", default: siteFolder },
  },
});
await installTools();
// Loaded late, since it needs what was installed just now.
const { buildSite } = await import("./build.ts");
const count = await buildSite(values.out);
process.stdout.write(`${count} pages in ${values.out}\n`);
if (values.serve) {
  const { url, close } = await serveSite(values.out, port);
  process.stdout.write(`${url} until you press Ctrl+C\n`);
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void close());
}
