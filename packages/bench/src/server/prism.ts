import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Processes } from "../processes.ts";

/** The package, at the version that the figures are about. */
export const prismPackage = "@stoplight/prism-cli@5.16.0";

const startGrace = 60_000;
const askingStep = 200;

/** Prism with the contract, or why it could not be had. */
export type Prism = { readonly url: string; stop(): Promise<void> } | { readonly problem: string };

/** Installs Prism apart from the workspace, for this run alone, and starts it. */
export async function startPrism(processes: Processes, root: string): Promise<Prism> {
  const folder = await mkdtemp(join(tmpdir(), "tryon-bench-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    // Scripts of packages are left out: nothing that is measured here needs one.
    const install = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder];
    await processes.start("npm", [...install, prismPackage]).end();
    const port = await freePort();
    const command = join(folder, "node_modules/@stoplight/prism-cli/dist/index.js");
    const contract = join(root, "spec/openapi.json");
    const settings = ["--port", String(port), "--verboseLevel", "silent"];
    const program = processes.node([command, "mock", contract, ...settings]);
    const url = `http://127.0.0.1:${port}`;
    await answering(url);
    const stop = async (): Promise<void> => {
      await program.stop();
      await remove();
    };
    return { url, stop };
  } catch {
    await remove();
    return { problem: "could not be installed and started here" };
  }
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

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      // A server that listens on a port has an address of this form.
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
