import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const place = (path) => fileURLToPath(new URL(path, import.meta.url));

export function createCalls(baseUrl, apiKey, port) {
  const script = place("node_modules/@stoplight/prism-cli/dist/index.js");
  const args = [script, "proxy", place("openapi.json"), baseUrl, "--errors", "--port", port];
  const prism = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  const listening = new Promise((resolve, reject) => {
    const read = (chunk) => {
      log += chunk;
      if (log.includes("is listening")) resolve();
    };
    prism.stdout.on("data", read);
    prism.stderr.on("data", read);
    prism.once("close", () => reject(new Error(log)));
  });
  const post = async (body, headers) => {
    await listening;
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    return fetch(`http://127.0.0.1:${port}/api/v1/tryon`, init);
  };
  return {
    async submit(key) {
      const headers = {
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        "idempotency-key": key,
      };
      if ((await post({}, headers)).ok) throw new Error("An empty body is valid.");
      const body = {
        person_url: "https://shop.example/ada.jpg",
        garment_urls: ["https://shop.example/shirt.png"],
        size: "4K",
        mode: "async",
        metadata: { sku: "LS-204" },
      };
      const job = await (await post(body, headers)).json();
      // Other errors than that of the empty body.
      const wrong = log
        .split("\n")
        .find((line) => /error/.test(line) && !/UNPROCESSABLE/.test(line));
      if (wrong !== undefined) throw new Error(wrong);
      return job;
    },
    async close() {
      prism.kill();
      await once(prism, "close").catch(() => undefined);
    },
  };
}
