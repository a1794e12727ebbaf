import { copyFile, mkdir } from "node:fs/promises";

import { AppFolder } from "@tryon/test-kit/app-folder";
import { assetPath, node } from "@tryon/test-kit/repository";

import { createMock } from "@tryon/mock";
import { serve } from "@tryon/mock/node";

import type { Block } from "./blocks.ts";
import type { CheckContext } from "./checks.ts";

/** Images in the folder of every program, where the person is `me.jpg`. */
const images = ["person.jpg", "shirt.png", "jacket.webp", "hat.png"];

export type Programs = Awaited<ReturnType<typeof openPrograms>>;

/** Opens a folder in which the code of pages runs, with the packages as they would be published, and a reference server. */
export async function openPrograms() {
  const all = await AppFolder.inRepository("run");
  await all.unpack();
  const mock = createMock({ latency: 0 });
  const server = await serve(mock);
  let count = 0;
  const contextOf = async (snippet: Block): Promise<CheckContext> => {
    const app = new AppFolder(all.path(String((count += 1))));
    await mkdir(app.folder);
    for (const image of images)
      await copyFile(assetPath(image), app.path(image.replace("person", "me")));
    const run: CheckContext["run"] = async (code, { env = {}, file = snippet.name } = {}) => {
      await app.write(file, code);
      const key = await mock.createKey({ credits: 1_000, rateLimitPerMinute: 6_000 });
      const program = app.start(node, [file], {
        TRYON_BASE_URL: server.url,
        TRYON_API_KEY: key.token,
        TRYON_WEBHOOK_SECRET: key.webhookSecret,
        TRYON_MOCK_TOKEN: server.controlToken,
        TRYON_POLL_INTERVAL: "100ms",
        ...env,
      });
      const { code: exit } = await program.ended;
      if (exit === 0) return program.output.stdout;
      throw new Error(`${file} ended with ${exit}:\n${program.text}`);
    };
    return { snippet, app, mock, server, run };
  };
  const close = async (): Promise<void> => {
    await server.close();
    mock.close();
    await all.remove();
  };
  return { contextOf, close };
}
