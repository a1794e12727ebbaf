import { defineConfig } from "@kubb/core";
import { pluginClient } from "@kubb/plugin-client";
import { pluginOas } from "@kubb/plugin-oas";
import { pluginTs } from "@kubb/plugin-ts";
import { pluginZod } from "@kubb/plugin-zod";

export default defineConfig({
  input: { path: "openapi.json" },
  output: { path: "client", format: false, lint: false },
  plugins: [
    pluginOas({ generators: [] }),
    pluginTs(),
    pluginZod({ version: "4" }),
    pluginClient({ client: "fetch", parser: "zod", baseURL: process.env.TRYON_BASE_URL }),
  ],
});
