import { join } from "node:path";

import { startScript } from "@tryon/test-kit/start-program";
import { expect, onTestFinished, test } from "vitest";

test("the development server serves the page from its sources beside the shop's API", async () => {
  const cwd = join(import.meta.dirname, "..");
  const args = ["--dev", "--port", "0"];
  const program = startScript(join(cwd, "src/server/main.ts"), args, { cwd });
  onTestFinished(async () => void (await program.stop()));
  const [, url = ""] = await program.waitFor(/The page is at (http:\S+)/);
  expect(program.output.stderr).toBe("");

  const text = async (path: string) => (await fetch(`${url}${path}`)).text();
  expect(await text("/")).toContain("<title>Virtual try-on</title>");
  expect(await text("/src/page/main.ts")).toContain("/src/page/result-panel.ts");
  expect(await text("/mockServiceWorker.js")).toContain("Mock Service Worker");
  const visitor = await fetch(`${url}/api/visitor`, { method: "POST" });
  const [cookie = ""] = visitor.headers.get("set-cookie")?.split(";") ?? [];
  const job = `${url}/api/tryon/api/v1/tryon/job_1`;
  expect((await fetch(job)).status).toBe(401);
  expect((await fetch(job, { headers: { cookie } })).status).toBe(404);
});
