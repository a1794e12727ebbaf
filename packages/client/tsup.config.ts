import { defineConfig } from "tsup";

const shared = {
  platform: "neutral",
  target: "es2022",
  treeshake: true,
  removeNodeProtocol: false,
} as const;
// The subpaths take the classes of the main entry from the main entry: there is one of each, whatever is imported.
const external = [/^node:/, "@tryon/client"];

export default defineConfig([
  {
    ...shared,
    external,
    // In one piece: on a clock that tests move by hand, reading a part of the package late would take no time at all.
    splitting: false,
    entry: {
      index: "src/index.ts",
      node: "src/node/index.ts",
      batch: "src/batch/index.ts",
      proxy: "src/proxy/index.ts",
    },
    format: ["esm", "cjs"],
    dts: true,
    clean: ["!browser/**"],
  },
  {
    ...shared,
    external,
    // For pages, which load what makes try-ons when the first is made.
    splitting: true,
    entry: { index: "src/index.ts" },
    format: ["esm"],
    outDir: "dist/browser",
    clean: true,
  },
]);
