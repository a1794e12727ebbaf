import { defineConfig } from "tsup";

const shared = {
  platform: "neutral",
  target: "es2022",
  treeshake: true,
  removeNodeProtocol: false,
} as const;
const external = [/^node:/];

export default defineConfig([
  {
    ...shared,
    external,
    // In one piece: on a clock that tests move by hand, reading a part of the package late would take no time at all.
    splitting: false,
    entry: { index: "src/index.ts", node: "src/node/index.ts" },
    format: ["esm", "cjs"],
    dts: true,
    clean: ["!browser/**"],
  },
  {
    ...shared,
    external,
    // For pages, which load what makes try-ons when the first is made.
    splitting: true,
    entry: { index: "src/index.ts" },
    format: ["esm"],
    outDir: "dist/browser",
    clean: true,
  },
]);
