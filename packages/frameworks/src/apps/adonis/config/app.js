import { defineConfig } from "@adonisjs/core/http";

export const appKey = "a key of at least 16 characters";
export const http = defineConfig({});
