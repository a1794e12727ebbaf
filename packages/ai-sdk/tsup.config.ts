import { withoutDocstrings } from "@tryon/cli-kit/build";
import { defineConfig } from "tsup";

export default defineConfig({
  entry: { index: "src/index.ts" },
  format: ["esm"],
  platform: "neutral",
  target: "es2022",
  external: ["@tryon/client", "ai"],
  dts: { compilerOptions: { paths: { "@tryon/shared/*": ["../shared/src/*"] } } },
  treeshake: true,
  plugins: [withoutDocstrings],
});
