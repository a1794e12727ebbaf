import { build } from "esbuild";
import { Miniflare } from "miniflare";

import { allItems, done, items } from "./worker-client.mjs";

const { outputFiles } = await build({
  entryPoints: ["cloudflare-workflow.mjs"],
  bundle: true,
  format: "esm",
  conditions: ["workerd"],
  external: ["cloudflare:*"],
  write: false,
});
const { TRYON_API_KEY, TRYON_BASE_URL, OFFSET } = process.env;
const miniflare = new Miniflare({
  modules: true,
  script: outputFiles[0].text,
  compatibilityDate: "2026-04-01",
  cf: false,
  bindings: { TRYON_API_KEY, TRYON_BASE_URL, OFFSET, PROCESS_ID: String(process.pid) },
  workflows: { TRY_ONS: { name: "try-ons", className: "TryOnWorkflow" } },
  workflowsPersist: "workflows",
});
await miniflare.ready;
const ended = new Set();
for (let isFirst = true; ; isFirst = false) {
  const body = JSON.stringify({
    all: allItems,
    items: isFirst ? items : [],
    isRestart: isFirst && items.length === 0,
  });
  const response = await miniflare.dispatchFetch("http://localhost/", { method: "POST", body });
  for (const [id, status] of await response.json()) {
    if (status !== "complete" || ended.has(id)) continue;
    ended.add(id);
    done(id);
  }
  await new Promise((resolve) => setTimeout(resolve, 500));
}
