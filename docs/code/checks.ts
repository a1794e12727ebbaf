import type { Mock } from "@tryon/mock";
import type { Serving } from "@tryon/mock/node";

import type { Block } from "./blocks.ts";

/** What a check has at hand. */
export interface CheckContext {
  readonly snippet: Block;
  /**
   * Runs code as a program, in `folder`, with the address of a reference server and a live key of 1,000 credits in its
   * environment.
   *
   * @returns what it wrote to standard output.
   * @throws an Error with what it wrote to standard error, where it ends in one.
   */
  readonly run: (code: string, options?: RunOptions) => Promise<string>;
  /** A folder of this check alone, with me.jpg, shirt.png, jacket.webp and hat.png in it. */
  readonly folder: string;
  /** The reference server, which answers at once. */
  readonly mock: Mock;
  /** Where it listens. */
  readonly server: Serving;
}

export interface RunOptions {
  /** Beside what every program gets, or in its place. */
  readonly env?: Readonly<Record<string, string>>;
  /** What the code is called there; its name in the page unless given. */
  readonly file?: string;
}

/** Runs one piece of code of a page and looks at what it did. */
export type Check = (context: CheckContext) => Promise<void>;

/** The checks of a page, by the names of its code. */
export type Checks = Readonly<Record<string, Check>>;
