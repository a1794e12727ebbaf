import { defineConfig, type Options } from "tsup";

import packageJson from "./package.json" with { type: "json" };

/** Bundles only the version of the manifest. */
const versionOnly: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "version-only",
  setup(build) {
    build.onLoad({ filter: /[\\/]webhooks[\\/]package\.json$/ }, () => ({
      contents: JSON.stringify({ version: packageJson.version }),
      loader: "json",
    }));
  },
};

export default defineConfig([
  {
    entry: {
      index: "src/index.ts",
      express: "src/adapters/express.ts",
      fastify: "src/adapters/fastify.ts",
      hono: "src/adapters/hono.ts",
      koa: "src/adapters/koa.ts",
      lambda: "src/adapters/lambda.ts",
      next: "src/adapters/next.ts",
      node: "src/node/index.ts",
    },
    format: ["esm", "cjs"],
    platform: "neutral",
    target: "es2022",
    external: [/^node:/],
    removeNodeProtocol: false,
    dts: true,
    treeshake: true,
  },
  {
    // The command line is a single file.
    entry: { cli: "src/cli/main.ts" },
    format: ["esm"],
    platform: "node",
    target: "node20",
    splitting: false,
    treeshake: true,
    esbuildPlugins: [versionOnly],
  },
]);
