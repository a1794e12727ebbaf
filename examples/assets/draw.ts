import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { copies, drawAll, smallCopy } from "./images.ts";

const assets = import.meta.dirname;
await drawAll(assets);
for (const [folder, files] of Object.entries(copies)) {
  await mkdir(join(assets, "..", folder), { recursive: true });
  for (const file of files) {
    await writeFile(join(assets, "..", folder, file), await smallCopy(join(assets, file)));
  }
}
