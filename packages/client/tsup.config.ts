import { withoutDocstrings } from "@tryon/cli-kit/build";
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
  plugins: [withoutDocstrings],
};

const entry = {
  index: "src/index.ts",
  batch: "src/batch/index.ts",
  postgres: "src/stores/postgres.ts",
  proxy: "src/proxy/index.ts",
  raw: "src/raw/index.ts",
  react: "src/react/index.ts",
  redis: "src/stores/redis.ts",
  session: "src/session/index.ts",
  sqlite: "src/stores/sqlite.ts",
};

export default defineConfig([
  {
    ...shared,
    entry,
    // The types of the private packages are part of the published ones.
    dts: {
      entry: { ...entry, node: "src/node/index.ts" },
      compilerOptions: {
        paths: {
          "@tryon/shared/*": ["../shared/src/*"],
          "@tryon/spec/openapi": ["../../spec/generated/openapi.ts"],
        },
      },
    },
  },
  ownBuild("node", "esm"),
  ownBuild("node", "cjs"),
  // Bundlers for pages read ESM.
  ownBuild("browser", "esm"),
]);

/** Main entry for one condition of `imports` of package.json, which selects transport, code for pages and how sharp is loaded, and the entry for Node. */
function ownBuild(condition: "node" | "browser", format: "esm" | "cjs"): Options {
  const isCommonJs = format === "cjs";
  const entries = { "index-node": "src/index.ts", node: "src/node/index.ts" };
  return {
    ...shared,
    entry: condition === "node" ? entries : { "index-page": "src/index.ts" },
    format,
    // With `treeshake`, dynamic imports stay in CommonJS files. Jest cannot run those.
    treeshake: !isCommonJs,
    esbuildOptions(options) {
      options.conditions = isCommonJs ? [condition, "commonjs"] : [condition];
      options.supported = { "dynamic-import": !isCommonJs };
      // Replaces `isPage` by its value, so that `treeshake` removes the code for other runtimes.
      options.minifySyntax = condition === "browser";
    },
  };
}
