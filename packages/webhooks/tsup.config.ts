import { defineConfig } from "tsup";

export default defineConfig({
  entry: { index: "src/index.ts", node: "src/node/index.ts" },
  format: ["esm", "cjs"],
  platform: "neutral",
  target: "es2022",
  external: [/^node:/],
  removeNodeProtocol: false,
  dts: true,
  clean: true,
  treeshake: true,
});
