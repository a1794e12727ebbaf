import type { Output } from "@tryon/cli-kit";

export interface CliContext {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Starts to handle Ctrl+C. Returns a signal that the first one aborts. The second one ends the process. */
  readonly onInterrupt: () => AbortSignal;
}

export const interruptedCode = 130;
