import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

import { node } from "@tryon/test-kit/repository";
import { startProgram } from "@tryon/test-kit/start-program";
import { listen } from "@tryon/test-kit/listen";
import { expect, it } from "vitest";

const count = 200_000;
const start = Date.UTC(2026, 10, 1);

/** Service with many jobs, which it makes page by page. Every thousandth one has no cost. */
async function openService(): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    if (pathname.endsWith("/account")) {
      const account = { name: null, rate_limit_per_min: 10_000_000, total_calls: 1 };
      return response.end(JSON.stringify({ ...account, credits_remaining: 5 }));
    }
    const first = Number(searchParams.get("cursor") ?? 0);
    const limit = Number(searchParams.get("limit"));
    const jobs = Array.from({ length: Math.min(limit, count - first) }, (_, index) => ({
      job_id: `job_${first + index}`,
      status: "succeeded",
      cost_credits: (first + index) % 1_000 === 0 ? null : 8,
      metadata: { campaign: `campaign ${(first + index) % 10}`, note: "x".repeat(200) },
      created_at: new Date(start + (count - first - index) * 1_000).toISOString(),
    }));
    const next = first + limit;
    return response.end(JSON.stringify({ jobs, next_cursor: next < count ? String(next) : null }));
  });
  return listen(server);
}

it("reports 200,000 jobs of a long list with a small heap", { timeout: 240_000 }, async () => {
  const url = await openService();
  const main = fileURLToPath(new URL("../main.ts", import.meta.url));
  // A tenth of what the jobs take as JSON.
  const flags = ["--max-old-space-size=24", "--conditions=@tryon/source", main];
  const report = ["report", "--from", "2026-11-01", "--by", "metadata.campaign"];
  const program = startProgram(node, [...flags, ...report], {
    env: { TRYON_BASE_URL: url, TRYON_API_KEY: "svc_live_report" },
  });
  expect((await program.ended).code, program.text.slice(-2_000)).toBe(0);
  const rows = program.output.stdout.trim().split("\n");
  const costless = rows.filter((row) => row.endsWith(",job without a cost"));
  expect(costless).toHaveLength(count / 1_000);
  expect(rows.slice(-2)).toEqual([
    `total,,,${count},${count},0,0,${(count - costless.length) * 8},`,
    "balance,,,,,,,5,",
  ]);
  expect(rows.filter((row) => row.startsWith("group,"))).toHaveLength(10);
});
