import { defineConfig, type Options } from "tsup";

const shared: Options = {
  // The subpaths import the classes of the main entry, so that there is one copy of each.
  external: [/^node:/, /^@tryon\/client/, "react"],
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
      images: "src/photos/index.ts",
      postgres: "src/stores/postgres.ts",
      node: "src/node/index.ts",
      proxy: "src/proxy/index.ts",
      raw: "src/raw/index.ts",
      react: "src/react/index.ts",
      redis: "src/stores/redis.ts",
      session: "src/session/index.ts",
      sqlite: "src/stores/sqlite.ts",
    },
    // The types of the private package are part of the published ones.
    dts: {
      compilerOptions: { paths: { "@tryon/command-line/*": ["../command-line/src/*"] } },
    },
  },
  nodeBuild("esm"),
  nodeBuild("cjs"),
]);

/** Main entry with the transport of Node, see `imports` of package.json. */
function nodeBuild(format: "esm" | "cjs"): Options {
  const isCommonJs = format === "cjs";
  return {
    ...shared,
    // Selects the transport and the image encoder of Node, see `imports` of package.json.
    entry: { "index-node": "src/index.ts", "images-node": "src/photos/index.ts" },
    format,
    // With `treeshake`, dynamic imports stay in CommonJS files. Jest cannot run those.
    treeshake: !isCommonJs,
    esbuildOptions(options) {
      options.conditions = ["node"];
      options.supported = { "dynamic-import": !isCommonJs };
    },
  };
}
