import { defineConfig } from "@playwright/test";

const port = Number(process.env.PORT ?? 4173);

export default defineConfig({
  testDir: "tests",
  expect: { timeout: 15_000 },
  use: {
    baseURL: `http://localhost:${port}`,
    launchOptions: {
      // Without it, the browser that `npx playwright install chromium` brings.
      executablePath: process.env.CHROMIUM_PATH,
    },
  },
  webServer: {
    command: `npx vite preview --outDir out --strictPort --port ${port}`,
    port,
  },
});
