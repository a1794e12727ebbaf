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

/** After which a program that does not end is ended, before its test gives up on it, in milliseconds. */
const timeout = 150_000;

/** The pictures that pages name, as they stand in the folder of every program. */
const pictures = { "person.jpg": "me.jpg" };
const others = ["shirt.png", "jacket.webp", "hat.png"];

/** A place where the code of pages runs, with a reference server for it. */
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
    // The code stands inside the repository, so that it finds the packages as an app would.
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

  /** What the check of one piece of code has at hand. */
  async contextOf(snippet: Block): Promise<CheckContext> {
    const folder = join(this.folder, String((this.#count += 1)));
    await mkdir(folder);
    for (const [from, to] of [...Object.entries(pictures), ...others.map((name) => [name, name])]) {
      await copyFile(join(root, "examples/assets", from ?? ""), join(folder, to ?? ""));
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
