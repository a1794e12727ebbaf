import { defineConfig } from "tsup";

import packageJson from "./package.json" with { type: "json" };

export default defineConfig({
  entry: { index: "src/index.ts", cli: "src/cli/main.ts" },
  format: ["esm"],
  platform: "node",
  target: "node20",
  dts: { entry: { index: "src/index.ts" } },
  splitting: true,
  treeshake: true,
  esbuildPlugins: [
    {
      name: "version-only",
      setup(build) {
        build.onLoad({ filter: /[\\/]contract[\\/]package\.json$/ }, () => ({
          contents: JSON.stringify({ version: packageJson.version }),
          loader: "json",
        }));
      },
    },
  ],
});
