import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createMock } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { startScript } from "@tryon/test-kit/start-program";
import { startRedis } from "@tryon/test-kit/store-servers";
import { expect, it, onTestFinished } from "vitest";

const input = {
  person: "https://shop.example/me.jpg",
  garments: ["https://shop.example/shirt.png"],
};

it.runIf(await isInstalled("redis"))(
  "enqueues the items of a file, works until SIGTERM and saves an image for each",
  async () => {
    const redis = await startRedis();
    const mock = createMock({ latency: 20 });
    const server = await serve(mock);
    const folder = await mkdtemp(join(tmpdir(), "tryon-queue-"));
    onTestFinished(async () => {
      await redis.remove();
      mock.close();
      await server.close();
      await rm(folder, { recursive: true, force: true });
    });
    const file = join(folder, "spring.json");
    await writeFile(file, JSON.stringify(["a/b", "2"].map((id) => ({ id, input }))));

    const program = startScript(join(import.meta.dirname, "../src/main.ts"), [file], {
      env: {
        PATH: process.env["PATH"],
        REDIS_URL: redis.url,
        OUT: join(folder, "out"),
        TRYON_BASE_URL: server.url,
        TRYON_API_KEY: mock.keys.live,
      },
    });
    await program.waitFor(/\n.*\n/);
    expect(await program.stop()).toEqual({ code: 0, signal: null });
    expect(program.output.stderr).toBe("");
    expect(program.output.stdout.trim().split("\n").toSorted()).toEqual([
      expect.stringMatching(/^2 job_\w+$/),
      expect.stringMatching(/^a\/b job_\w+$/),
    ]);
    for (const name of ["a%2Fb.png", "2.png"]) {
      const image = await readFile(join(folder, "out", name));
      expect(image.subarray(1, 4).toString()).toBe("PNG");
    }
  },
);
