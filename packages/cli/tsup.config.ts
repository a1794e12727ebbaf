import { requireBuiltins, thirdPartyLicenses, versionOnly } from "@tryon/cli-kit/build";
import { defineConfig } from "tsup";

import packageJson from "./package.json" with { type: "json" };

export default defineConfig({
  entry: { main: "src/main.ts" },
  format: ["esm"],
  platform: "node",
  target: "node20",
  splitting: true,
  minify: true,
  treeshake: true,
  removeNodeProtocol: false,
  // Only the composite engine of the reference server loads it, if it is installed.
  external: ["sharp"],
  esbuildOptions(options) {
    options.conditions = ["@tryon/source", "node"];
  },
  esbuildPlugins: [
    requireBuiltins,
    versionOnly(packageJson),
    thirdPartyLicenses("@tryon/mock/node_modules/preact"),
  ],
});
