import { defineConfig, type Options } from "tsup";

const shared: Options = {
  // The subpaths import the classes of the main entry, so that there is one copy of each.
  external: [/^node:/, "@tryon/client"],
  format: ["esm", "cjs"],
  splitting: false,
  platform: "neutral",
  target: "es2022",
  treeshake: true,
  removeNodeProtocol: false,
};

export default defineConfig([
  {
    ...shared,
    entry: {
      index: "src/index.ts",
      batch: "src/batch/index.ts",
      node: "src/node/index.ts",
      proxy: "src/proxy/index.ts",
      raw: "src/raw/index.ts",
    },
    dts: true,
  },
  {
    ...shared,
    entry: { "index-node": "src/index.ts" },
    esbuildOptions(options) {
      // Selects the transport of Node, see `imports` of package.json.
      options.conditions = ["node"];
    },
  },
]);
