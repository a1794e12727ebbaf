import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Where packages are published: the registry that npm is configured for. */
export interface Registry {
  /** The integrity of a version that is there, or `undefined`. */
  integrityOf(name: string, version: string): Promise<string | undefined>;
  /** @throws an Error with what npm said of it. */
  publish(tarball: string): Promise<void>;
}

/** The first npm that is let in for the workflow it runs in, without a token. */
const oldestForProvenance = [11, 5, 1] as const;

/** The arguments with which a tarball is published. */
export function publishArguments(tarball: string, provenance: boolean): readonly string[] {
  return ["publish", tarball, "--access", "public", ...(provenance ? ["--provenance"] : [])];
}

/** The registry by the command npm, which knows its address and how it lets publishers in. */
export function npmRegistry(options: { readonly provenance: boolean }): Registry {
  return {
    async integrityOf(name, version) {
      const what = [`${name}@${version}`, "dist.integrity", "--json"];
      const { code, stdout, stderr } = await npm(["view", ...what]);
      if (code === 0) return stdout.trim() === "" ? undefined : String(JSON.parse(stdout));
      if (`${stdout}${stderr}`.includes("E404")) return undefined;
      throw new Error(
        `npm cannot tell whether ${name} ${version} is published:\n${stderr || stdout}`,
      );
    },
    async publish(tarball) {
      if (options.provenance) await requireNpm();
      const args = publishArguments(tarball, options.provenance);
      if (process.stdin.isTTY && process.stdout.isTTY) return npmAtTerminal(args);
      const { code, stdout, stderr } = await npm(args);
      if (code !== 0) throw new Error(stderr.trim() || stdout.trim() || `npm ended with ${code}.`);
    },
  };
}

async function requireNpm(): Promise<void> {
  const { stdout } = await npm(["--version"]);
  const version = stdout.trim().split(".").map(Number);
  const [major = 0, minor = 0, patch = 0] = version;
  const [oldestMajor, oldestMinor, oldestPatch] = oldestForProvenance;
  const order = major - oldestMajor || minor - oldestMinor || patch - oldestPatch;
  if (order < 0)
    throw new Error(
      `npm ${stdout.trim()} cannot publish without a token; npm ${oldestForProvenance.join(".")} can.`,
    );
}

/** A person is asked for a second factor, which npm does at a terminal alone. */
async function npmAtTerminal(args: readonly string[]): Promise<void> {
  const [code] = (await once(spawn("npm", args, { stdio: "inherit" }), "exit")) as [number | null];
  if (code !== 0) throw new Error(`npm ended with ${code}; what it said stands above.`);
}

async function npm(
  args: readonly string[],
): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    return { code: 0, ...(await run("npm", args)) };
  } catch (error) {
    const { code, stdout, stderr, message } = Object(error);
    if (typeof code !== "number")
      throw new Error(`Cannot run npm: ${String(message)}`, { cause: error });
    return { code, stdout: String(stdout), stderr: String(stderr) };
  }
}
