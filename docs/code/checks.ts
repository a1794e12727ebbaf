import type { Mock } from "@tryon/mock";
import type { Serving } from "@tryon/mock/node";
import type { AppFolder } from "@tryon/test-kit/app-folder";

import type { Block } from "./blocks.ts";

export interface CheckContext {
  readonly snippet: Block;
  /**
   * Runs code as a program in the folder. Its environment has the URL of a reference server and a live key with 1,000
   * credits. Returns its standard output.
   *
   * @throws Error with its standard error, if it fails.
   */
  readonly run: (code: string, options?: RunOptions) => Promise<string>;
  /** Folder of this check, with me.jpg, shirt.png, jacket.webp and hat.png. */
  readonly app: AppFolder;
  /** Reference server without latency. */
  readonly mock: Mock;
  readonly server: Serving;
}

interface RunOptions {
  /** Environment variables, in addition to those of every program. They replace those of the same name. */
  readonly env?: Readonly<Record<string, string>>;
  /** File name of the code. @default its name in the page */
  readonly file?: string;
}

/** Runs a code block of a page and checks its effects. */
export type Check = (context: CheckContext) => Promise<void>;

/** Checks of a page, by the names of its code blocks. */
export type Checks = Readonly<Record<string, Check>>;
