import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";

/** A command that goes on, such as a server. */
export interface Running {
  /** Resolves with the first line on either stream that holds the words; rejects when the command ends without. */
  line(words: string): Promise<string>;
  /** What it has printed so far, on both streams. */
  output(): string;
  /** Ends it, and whatever it has started. */
  end(): Promise<void>;
}

/** What commands of one terminal have in common. */
export interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs a command to its end, as a shell does; gives what it printed, and rejects with that when it fails. */
export async function typed(command: string, place: Place): Promise<string> {
  const { child, output } = begin(command, place);
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${command} ended with ${code}:\n${output()}`);
  return output();
}

/** Starts a command that goes on. */
export function started(command: string, place: Place): Running {
  const { child, output } = begin(command, place);
  const ended = once(child, "close");
  return {
    output,
    line: (words) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = output()
            .split("\n")
            .slice(0, -1)
            .find((line) => line.includes(words));
          if (found !== undefined) resolve(found);
        };
        look();
        child.stdout?.on("data", look);
        child.stderr?.on("data", look);
        void ended.then(() => reject(new Error(`${command} never said "${words}":\n${output()}`)));
      }),
    async end() {
      const running = child.exitCode === null && child.signalCode === null;
      // The whole group: what npx has started, too.
      if (running && child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
      await ended;
    },
  };
}

function begin(command: string, place: Place): { child: ChildProcess; output: () => string } {
  const child = spawn(command, { ...place, shell: true, detached: true, stdio: "pipe" });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (more: string) => (text += more));
  }
  child.stdin.end();
  return { child, output: () => text };
}
