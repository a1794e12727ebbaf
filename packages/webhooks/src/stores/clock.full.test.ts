import { join } from "node:path";

import { isInstalled } from "@tryon/test-kit/installed-programs";
import { startScript } from "@tryon/test-kit/start-program";
import { startPostgres, startRedis, startSqlite } from "@tryon/test-kit/store-servers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

const program = join(import.meta.dirname, "../../test/dated-receiver.ts");
const hour = 3_600_000;
const stores = { redis: startRedis, postgres: startPostgres, sqlite: startSqlite } as const;

for (const store of ["redis", "postgres", "sqlite"] as const) {
  describe.runIf(store === "sqlite" || (await isInstalled(store)))(`receivers on ${store}`, () => {
    let server: Awaited<ReturnType<(typeof stores)[typeof store]>>;
    beforeAll(async () => {
      server = await stores[store]();
    }, 60_000);
    afterAll(() => server.remove(), 60_000);

    it("handle an event once that all of them receive at the same time", async () => {
      const all = [1, 2, 3].map(() => startScript(program, [server.url, "job_shared", "0"]));
      onTestFinished(async () => {
        for (const one of all) await one.stop("SIGKILL");
      });
      for (const one of all) await one.waitFor(/status 204/);
      expect(
        all
          .map(({ text }) => text)
          .join("")
          .match(/handles/g),
      ).toHaveLength(1);
    }, 60_000);

    // They wait for most of their time.
    it.concurrent.for([-hour, hour])(
      "wait for a running process, take over from a killed one, and remember events, with dates %i ms apart",
      { timeout: 60_000 },
      async (offset, { onTestFinished: after }) => {
        const start = (dateOffset: number, hangs = "", change = 0) => {
          const job = `job_${Math.abs(offset) + offset}`;
          const inputs = [server.url, job, String(dateOffset), hangs, String(change)];
          const started = startScript(program, inputs);
          after(async () => void (await started.stop("SIGKILL")));
          return started;
        };
        const first = start(0, "hangs");
        await first.waitFor(/handles/);
        const others = [start(offset), start(0, "", offset)];
        for (const other of others) await other.waitFor(/status 503/);
        expect(others.map(({ text }) => text.includes("handles"))).toEqual([false, false]);
        await first.stop("SIGKILL");
        await start(offset).waitFor(/handles\n[^]*status 204/);
        const last = start(-offset);
        await last.waitFor(/status 204/);
        expect(last.text).not.toContain("handles");
      },
    );
  });
}
