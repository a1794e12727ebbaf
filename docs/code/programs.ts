import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { node, root } from "@tryon/test-kit/repository";

import { createMock, type Mock } from "@tryon/mock";
import { serve, type Serving } from "@tryon/mock/node";

import type { Block } from "./blocks.ts";
import type { CheckContext, RunOptions } from "./checks.ts";

const run = promisify(execFile);

/** Time limit of a program, in milliseconds. It is shorter than that of its test. */
const timeout = 150_000;

/** Images in the folder of every program, where the person is `me.jpg`. */
const images = ["person.jpg", "shirt.png", "jacket.webp", "hat.png"];

/** Folder in which the code of pages runs, with a reference server. */
export class Programs {
  readonly folder: string;
  readonly #mock: Mock;
  readonly #server: Serving;
  #count = 0;

  private constructor(folder: string, mock: Mock, server: Serving) {
    this.folder = folder;
    this.#mock = mock;
    this.#server = server;
  }

  static async open(): Promise<Programs> {
    // Inside the repository, so that the code resolves the packages as an app would.
    const places = join(root, "docs/.snippets");
    await mkdir(places, { recursive: true });
    const mock = createMock({ latency: 0 });
    return new Programs(await mkdtemp(join(places, "run-")), mock, await serve(mock));
  }

  async close(): Promise<void> {
    await this.#server.close();
    this.#mock.close();
    await rm(this.folder, { recursive: true });
  }

  /** Creates the arguments of a check of one code block. */
  async contextOf(snippet: Block): Promise<CheckContext> {
    const folder = join(this.folder, String((this.#count += 1)));
    await mkdir(folder);
    for (const image of images) {
      const copy = join(folder, image.replace("person", "me"));
      await copyFile(join(root, "examples/assets", image), copy);
    }
    return {
      snippet,
      folder,
      mock: this.#mock,
      server: this.#server,
      run: (code, options) => this.#run(folder, snippet.name, code, options),
    };
  }

  async #run(
    folder: string,
    name: string,
    code: string,
    { env = {}, file = name }: RunOptions = {},
  ): Promise<string> {
    await writeFile(join(folder, file), code);
    const { token, webhookSecret } = await this.#mock.createKey({
      credits: 1_000,
      rateLimitPerMinute: 6_000,
    });
    const environment = {
      ...process.env,
      TRYON_BASE_URL: this.#server.url,
      TRYON_API_KEY: token,
      TRYON_WEBHOOK_SECRET: webhookSecret,
      TRYON_MOCK_TOKEN: this.#server.controlToken,
      TRYON_POLL_INTERVAL: "100ms",
      ...env,
    };
    const { stdout } = await run(node, ["--conditions=@tryon/source", join(folder, file)], {
      cwd: folder,
      env: environment,
      timeout,
    });
    return stdout;
  }
}
