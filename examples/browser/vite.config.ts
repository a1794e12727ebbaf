import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { defaultClientConditions, defineConfig, type Plugin } from "vite";

const workerFile = "mockServiceWorker.js";

const readWorker = () => readFile(fileURLToPath(import.meta.resolve(`msw/${workerFile}`)));

/** Serves the service worker of the installed msw, because both must have the same version. */
function mockServiceWorker(): Plugin {
  return {
    name: "mock-service-worker",
    configureServer(server) {
      server.middlewares.use(`/${workerFile}`, (_request, response, next) => {
        response.setHeader("content-type", "text/javascript");
        readWorker().then((worker) => response.end(worker), next);
      });
    },
    async generateBundle() {
      this.emitFile({ type: "asset", fileName: workerFile, source: await readWorker() });
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  // Uses the sources of the packages in this repository. Remove it in your copy.
  resolve: { conditions: ["@tryon/source", ...defaultClientConditions] },
  build: { target: "es2022", assetsInlineLimit: 0 },
  plugins: [mockServiceWorker()],
});
