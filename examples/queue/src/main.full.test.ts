import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { createMock } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { startRedis } from "@tryon/test-kit/store-servers";
import { expect, it, onTestFinished } from "vitest";

it.runIf(await isInstalled("redis"))(
  "the program puts the items of a file into the queue, works until it is asked to end, and leaves a picture of each",
  { timeout: 120_000 },
  async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.remove());
    const mock = createMock({ latency: 20 });
    const server = await serve(mock);
    onTestFinished(async () => {
      mock.close();
      await server.close();
    });
    const folder = await mkdtemp(join(tmpdir(), "tryon-queue-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const items = ["a/b", "2"].map((id) => ({
      id,
      input: {
        person: "https://shop.example/me.jpg",
        garments: ["https://shop.example/shirt.png"],
      },
    }));
    await writeFile(join(folder, "spring.json"), JSON.stringify(items));

    const program = fork(join(import.meta.dirname, "main.ts"), [join(folder, "spring.json")], {
      execArgv: ["--conditions=@tryon/source"],
      env: {
        PATH: process.env["PATH"],
        REDIS_URL: redis.url,
        PICTURES: join(folder, "pictures"),
        TRYON_BASE_URL: server.url,
        TRYON_API_KEY: mock.keys.live,
      },
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    onTestFinished(() => void program.kill("SIGKILL"));
    const ended = once(program, "exit");
    // It is piped, as said above.
    const lines = createInterface({ input: program.stdout ?? process.stdin });
    const said: string[] = [];
    for await (const line of lines) {
      if (said.push(line) === items.length) program.kill("SIGTERM");
    }
    expect(await ended).toEqual([0, null]);
    expect(said.toSorted()).toEqual([
      expect.stringMatching(/^2 job_\w+$/),
      expect.stringMatching(/^a\/b job_\w+$/),
    ]);
    for (const name of ["a%2Fb.png", "2.png"]) {
      const picture = await readFile(join(folder, "pictures", name));
      expect(picture.subarray(1, 4).toString()).toBe("PNG");
    }
  },
);
