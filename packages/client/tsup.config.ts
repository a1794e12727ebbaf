import { defineConfig } from "tsup";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    batch: "src/batch/index.ts",
    node: "src/node/index.ts",
    proxy: "src/proxy/index.ts",
    raw: "src/raw/index.ts",
  },
  // The subpaths import the classes of the main entry, so that there is one copy of each.
  external: [/^node:/, "@tryon/client"],
  format: ["esm", "cjs"],
  splitting: false,
  dts: true,
  clean: true,
  platform: "neutral",
  target: "es2022",
  treeshake: true,
  removeNodeProtocol: false,
});
