import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { defaultClientConditions, defineConfig, type Plugin } from "vite";

const workerFile = "mockServiceWorker.js";

const read = () => readFile(fileURLToPath(import.meta.resolve(`msw/${workerFile}`)));

/** Serves the service worker of the msw that is installed, which has to fit the code in the page. */
function mockServiceWorker(): Plugin {
  return {
    name: "mock-service-worker",
    configureServer(server) {
      server.middlewares.use(`/${workerFile}`, (_request, response, next) => {
        response.setHeader("content-type", "text/javascript");
        read().then((worker) => response.end(worker), next);
      });
    },
    async generateBundle() {
      this.emitFile({ type: "asset", fileName: workerFile, source: await read() });
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  // Inside of this repository the packages are their sources; in yours, leave this out.
  resolve: { conditions: ["@tryon/source", ...defaultClientConditions] },
  build: { target: "es2022", assetsInlineLimit: 0 },
  plugins: [mockServiceWorker()],
});
