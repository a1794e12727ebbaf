import { join } from "node:path";

import { startScript } from "@tryon/test-kit/start-program";
import { expect, onTestFinished, test } from "vitest";

test("the server starts with the reference server, and authorizes visitors", async () => {
  const cwd = join(import.meta.dirname, "..");
  const env = { ...process.env, PORT: "0" };
  const program = startScript(join(cwd, "src/server/main.ts"), [], { cwd, env });
  onTestFinished(async () => void (await program.stop()));
  const [, url = ""] = await program.waitFor(/The page is at (http:\S+)/);
  const visitor = await fetch(`${url}/api/visitor`, { method: "POST" });
  const [cookie = ""] = visitor.headers.get("set-cookie")?.split(";") ?? [];
  const job = `${url}/api/tryon/api/v1/tryon/job_1`;
  expect((await fetch(job)).status).toBe(401);
  expect((await fetch(job, { headers: { cookie } })).status).toBe(404);
});
