import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";
import { vitestRun } from "../code/vitest-run.ts";

export const checks: Checks = {
  "in-process.ts": async ({ snippet, app }) => {
    expect(await vitestRun(app, snippet)).toMatchObject({
      numPassedTests: 3,
      numFailedTests: 0,
    });
  },
  "replaced-calls.ts": async ({ snippet, app }) => {
    const run = await vitestRun(app, snippet);
    expect(run).toMatchObject({ numPassedTests: 2, numFailedTests: 0 });
  },
  "one-line-each.ts": async ({ snippet, app }) => {
    const code = `${snippet.code}
      import { createServer } from "node:http";
      import { TryOn } from "@tryon/client";
      import { expect, test } from "vitest";
      const input = { person: "https://a.example/me.jpg", garments: ["https://a.example/b.png"] };
      test.each([[noCredits, "insufficient_credits"], [failure, "job_failed"]])(
        "%s", async (arrange, code) => {
          arrange();
          await expect(new TryOn().run(input)).rejects.toMatchObject({ code });
        },
      );
      test("rateLimit", async () => {
        rateLimit();
        expect((await new TryOn().run(input)).receipt.attempts).toHaveLength(2);
      });
      test("webhookTwice", async () => {
        webhookTwice();
        let count = 0;
        const server = createServer((_request, response) => response.end(String(count++)));
        await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
        const webhook_url = "http://127.0.0.1:" + server.address().port;
        await new TryOn().submit({ ...input, webhook_url });
        await expect.poll(() => count, { timeout: 10_000 }).toBe(2);
        server.close();
      }, 20_000);`;
    const run = await vitestRun(app, { name: "one-line-each.test.ts", code });
    expect(run).toMatchObject({ numPassedTests: 4, numFailedTests: 0 });
  },
  "setup-mock.ts": async ({ snippet, run }) => {
    expect(await run(snippet.code)).toContain("pass 1");
  },
};
