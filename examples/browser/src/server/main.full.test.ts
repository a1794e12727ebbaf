import { join } from "node:path";

import { startScript } from "@tryon/test-kit/start-program";
import { expect, onTestFinished, test } from "vitest";

/** Starts the program, and gives the address that it names, before which it has nothing to complain of. */
async function started(...args: string[]): Promise<string> {
  const cwd = join(import.meta.dirname, "../..");
  const program = startScript(join(import.meta.dirname, "main.ts"), args, { cwd });
  onTestFinished(async () => void (await program.stop()));
  const [, url = ""] = await program.waitFor(/open at (http:\S+)/);
  expect(program.output.stderr).toBe("");
  return url;
}

test("the development server serves the page from its sources, beside the shop's own addresses", async () => {
  const url = await started("--dev", "--port", "0");
  const text = async (path: string) => (await fetch(`${url}${path}`)).text();
  expect(await text("/")).toContain("<title>Fitting room</title>");
  expect(await text("/src/page/main.ts")).toContain("/src/page/fitting.ts");
  expect(await text("/mockServiceWorker.js")).toContain("Mock Service Worker");
  const visitor = await fetch(`${url}/api/visitor`, { method: "POST" });
  expect([visitor.status, visitor.headers.has("set-cookie")]).toEqual([204, true]);
  const stranger = await fetch(`${url}/api/tryon/api/v1/tryon/job_1`);
  expect(stranger.status).toBe(401);
  const known = await fetch(`${url}/api/tryon/api/v1/tryon/job_1`, {
    headers: { cookie: visitor.headers.get("set-cookie")?.split(";")[0] ?? "" },
  });
  expect(known.status).toBe(404);
});
