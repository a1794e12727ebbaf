import {
  requireBuiltins,
  thirdPartyLicenses,
  versionOnly,
  withoutDocstrings,
} from "@tryon/cli-kit/build";
import { defineConfig } from "tsup";

import packageJson from "./package.json" with { type: "json" };

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
      postgres: "src/stores/postgres.ts",
      reconcile: "src/reconcile/reconcile.ts",
      redis: "src/stores/redis.ts",
      sqlite: "src/stores/sqlite.ts",
    },
    format: ["esm", "cjs"],
    platform: "neutral",
    target: "es2022",
    external: [/^node:/],
    removeNodeProtocol: false,
    // The types of the private package are part of the published ones.
    dts: {
      compilerOptions: { paths: { "@tryon/shared/*": ["../shared/src/*"] } },
    },
    treeshake: true,
    plugins: [withoutDocstrings],
  },
  {
    // The command is one file and bundles its parser, so that the package has no dependency.
    entry: { cli: "src/cli/main.ts" },
    format: ["esm"],
    platform: "node",
    target: "node20",
    splitting: false,
    minify: true,
    removeNodeProtocol: false,
    esbuildPlugins: [requireBuiltins, versionOnly(packageJson), thirdPartyLicenses()],
  },
]);
