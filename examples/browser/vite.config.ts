import { defaultClientConditions, defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  // Uses the sources of the packages in this repository. Remove it in your copy.
  resolve: { conditions: ["@tryon/source", ...defaultClientConditions] },
  build: { target: "es2022", assetsInlineLimit: 0 },
});
