import { copyFile, mkdir } from "node:fs/promises";

import { AppFolder } from "@tryon/test-kit/app-folder";
import { assetPath, node } from "@tryon/test-kit/repository";

import { createMock, type Mock } from "@tryon/mock";
import { serve, type Serving } from "@tryon/mock/node";

import type { Block } from "./blocks.ts";
import type { CheckContext } from "./checks.ts";

/** Images in the folder of every program, where the person is `me.jpg`. */
const images = ["person.jpg", "shirt.png", "jacket.webp", "hat.png"];

/** Folder in which the code of pages runs, with the packages as they would be published, and a reference server. */
export class Programs {
  readonly #app: AppFolder;
  readonly #mock: Mock;
  readonly #server: Serving;
  #count = 0;

  private constructor(app: AppFolder, mock: Mock, server: Serving) {
    this.#app = app;
    this.#mock = mock;
    this.#server = server;
  }

  static async open(): Promise<Programs> {
    const app = await AppFolder.inRepository("run");
    await app.unpack();
    const mock = createMock({ latency: 0 });
    return new Programs(app, mock, await serve(mock));
  }

  async close(): Promise<void> {
    await this.#server.close();
    this.#mock.close();
    await this.#app.remove();
  }

  async contextOf(snippet: Block): Promise<CheckContext> {
    const mock = this.#mock;
    const server = this.#server;
    const app = new AppFolder(this.#app.path(String((this.#count += 1))));
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
  }
}
