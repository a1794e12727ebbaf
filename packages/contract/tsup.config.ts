import { readFileSync } from "node:fs";

import {
  requireBuiltins,
  thirdPartyLicenses,
  versionOnly,
  withoutDocstrings,
} from "@tryon/cli-kit/build";
import type spec from "@tryon/spec/rules.json";
import { defineConfig, type Options } from "tsup";

import packageJson from "./package.json" with { type: "json" };

/** Reduces the bundled rules of the service to the ids of the open ones. */
const openRulesOnly: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "open-rules-only",
  setup(build) {
    build.onLoad({ filter: /[\\/]spec[\\/]rules\.json$/ }, ({ path }) => {
      // The tests of spec/ validate the file.
      const { rules } = JSON.parse(readFileSync(path, "utf8")) as typeof spec;
      const open = rules.flatMap(({ id, open: isOpen }) => (isOpen ? { id, open: true } : []));
      const contents = JSON.stringify({ rules: open });
      return { contents, loader: "json" };
    });
  },
};

export default defineConfig({
  entry: { index: "src/index.ts", cli: "src/cli/main.ts" },
  format: ["esm"],
  platform: "node",
  target: "node20",
  dts: { entry: { index: "src/index.ts" } },
  splitting: true,
  treeshake: true,
  removeNodeProtocol: false,
  plugins: [withoutDocstrings],
  esbuildPlugins: [requireBuiltins, versionOnly(packageJson), openRulesOnly, thirdPartyLicenses()],
});
