import { afterEach, expect, test } from "vitest";

import { useMock } from "./index.ts";

const before = process.env["TRYON_BASE_URL"];
const mock = useMock({ unawaitedJobs: "error" });
const jobIds: string[] = [];

/** Calls the service as an app does, which has its URL and key from the environment. */
async function call(path: string, body?: object): Promise<Record<string, unknown>> {
  const { TRYON_BASE_URL: url, TRYON_API_KEY: key } = process.env;
  const response = await fetch(`${url}/api/v1/${path}`, {
    ...(body && { method: "POST", body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  });
  return { code: response.status, ...((await response.json()) as object) };
}

const input = { person_url: "https://a.example/me.jpg", garment_urls: ["https://a.example/b.png"] };

// Hooks of the file run before the reset.
afterEach(() => {
  if (mock.journal.entries().length === 0) throw new Error("The reset came first.");
});

// Each test fails in the state that the other leaves.
test.each(["first", "second"])("the %s test finds a server in its initial state", async () => {
  expect(process.env["TRYON_BASE_URL"]).toBe(mock.url);
  expect(process.env["TRYON_WEBHOOK_SECRET"]).toBe(mock.webhookSecret);
  expect(mock.url).not.toBe(before);
  const headers = { authorization: `Bearer ${process.env["TRYON_MOCK_TOKEN"]}` };
  expect((await fetch(`${mock.url}/__mock/options`, { headers })).status).toBe(200);
  expect(await call("account")).toMatchObject({ code: 200, credits_remaining: 1_000 });
  const { job_id } = await call("tryon", { ...input, wait: true });
  expect(jobIds).not.toContain(job_id);
  jobIds.push(String(job_id));
  mock.faults.add({ on: "GET /api/v1/account", status: 503 });
  expect(await call("account")).toMatchObject({ code: 503 });
  process.env["TRYON_API_KEY"] = mock.keys.empty;
  expect(await call("tryon", input)).toMatchObject({ code: 402 });
});
