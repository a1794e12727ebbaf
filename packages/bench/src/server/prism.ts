import { join } from "node:path";

import { freePort } from "@tryon/test-kit/free-port";
import type { Processes, Program } from "../processes.ts";

/** The package, at the version that the figures are about. */
export const prismPackage = "@stoplight/prism-cli@5.16.0";

const startGrace = 60_000;
const askingStep = 200;

/** How much Prism writes of each call: `info` is how it comes. */
type Loudness = "info" | "silent";

/** A Prism that has been installed, for this run alone and apart from the workspace. */
export interface Prism {
  /** Starts it with the contract and gives its address. */
  start(loudness: Loudness): Promise<string>;
  /** Ends what was started. */
  stop(): Promise<void>;
}

/** @returns undefined when it cannot be had. */
export async function installPrism(processes: Processes, root: string): Promise<Prism | undefined> {
  const folder = await processes.folder();
  const started: Program[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((program) => program.stop()));
  };
  try {
    // Scripts of packages are left out: nothing that is measured here needs one.
    const install = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder];
    await processes.start("npm", [...install, prismPackage]).end();
  } catch (error) {
    if (processes.stopped) throw error;
    return undefined;
  }
  const command = join(folder, "node_modules/@stoplight/prism-cli/dist/index.js");
  const contract = join(root, "spec/openapi.json");
  const start = async (loudness: Loudness): Promise<string> => {
    const port = await freePort();
    const settings = ["--port", String(port), "--verboseLevel", loudness];
    started.push(processes.node([command, "mock", contract, ...settings]));
    const url = `http://127.0.0.1:${port}`;
    await answering(url);
    return url;
  };
  return { start, stop };
}

/** @throws Error when nobody answers in time. */
async function answering(url: string): Promise<void> {
  for (let waited = 0; waited < startGrace; waited += askingStep) {
    const answered = await fetch(url).then(
      (response) => response.arrayBuffer(),
      () => undefined,
    );
    if (answered !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, askingStep));
  }
  throw new Error(`Nobody answered at ${url} within ${startGrace} ms.`);
}
