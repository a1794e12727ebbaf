import { build } from "esbuild";

await build({
  entryPoints: ["main.ts"],
  outfile: "main.mjs",
  format: "esm",
  platform: "node",
  tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
});
