import { requireBuiltins, thirdPartyLicenses, versionOnly } from "@tryon/command-line/build";
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
  removeNodeProtocol: false,
  esbuildPlugins: [requireBuiltins, versionOnly(packageJson), thirdPartyLicenses()],
});
