import type { Output } from "@tryon/command-line";

/** Surroundings of the command. */
export interface CliContext {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly fetch: (request: Request) => Promise<Response>;
  /** Monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
}
