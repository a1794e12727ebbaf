import type { Output } from "@tryon/cli-kit";
import type { TryOn } from "@tryon/client";

/** What a program gives to a command line. */
export interface ProgramContext {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Starts to handle Ctrl+C. Returns a signal that the first one aborts. The second one ends the process. */
  readonly onInterrupt: () => AbortSignal;
}

export interface CliContext extends ProgramContext {
  /** Clients of the command, which are closed at its end. */
  readonly clients: TryOn[];
}

export const interruptedCode = 130;
