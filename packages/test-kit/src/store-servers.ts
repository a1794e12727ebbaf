import { execFile } from "node:child_process";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { freePort } from "./free-port.ts";
import { findProgram } from "./installed-programs.ts";
import { startProgram, type Program } from "./start-program.ts";

const run = promisify(execFile);

/** A database server for one test: in a temporary folder, reachable from this machine only. */
export interface StoreServer {
  /** URL for clients, the same after a restart. */
  readonly url: string;
  /** Starts the server again with the data it has persisted. */
  start(): Promise<void>;
  stop(): Promise<void>;
  remove(): Promise<void>;
}

/** Starts a Redis that persists each write before it responds. */
export async function startRedis(): Promise<StoreServer> {
  const binary = await findProgram("redis");
  const folder = await mkdtemp(join(tmpdir(), "tryon-redis-"));
  const port = await freePort();
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""];
  args.push("--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "noeviction");
  const start = (): Program => startProgram(binary, args);
  return startServer(folder, `redis://127.0.0.1:${port}`, start, "SIGTERM");
}

/** Starts an empty PostgreSQL that listens on a Unix socket in its folder. */
export async function startPostgres(): Promise<StoreServer> {
  const binary = await findProgram("postgres");
  const folder = await mkdtemp(join(tmpdir(), "tryon-postgres-"));
  const user = await unprivilegedUser();
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  const options = { ...user, cwd: folder, env: { LC_ALL: "C.UTF-8", TZ: "UTC" } };
  const data = join(folder, "data");
  const setUp = ["-D", data, "-U", "tryon", "-A", "trust", "-E", "UTF8", "--no-sync"];
  await run(join(dirname(binary), "initdb"), setUp, options);
  const args = ["-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"];
  const url = `postgres://tryon@/postgres?host=${encodeURIComponent(folder)}`;
  // SIGINT is a fast shutdown: it closes connections and keeps what was committed.
  return startServer(folder, url, () => startProgram(binary, args, options), "SIGINT");
}

/** Makes a folder for a file of SQLite, whose path is the URL. */
export async function startSqlite(): Promise<Pick<StoreServer, "url" | "remove">> {
  const folder = await mkdtemp(join(tmpdir(), "tryon-sqlite-"));
  return { url: join(folder, "store.db"), remove: () => rm(folder, { recursive: true }) };
}

async function startServer(
  folder: string,
  url: string,
  startProcess: () => Program,
  stopSignal: NodeJS.Signals,
): Promise<StoreServer> {
  let program: Program;
  const start = async (): Promise<void> => {
    program = startProcess();
    await program.waitFor(/ready to accept connections/i);
  };
  const stop = async (): Promise<void> => void (await program.stop(stopSignal));
  await start();
  return {
    url,
    start,
    stop,
    async remove() {
      await stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** PostgreSQL refuses to run as root. Root runs it as the user that its Debian package creates. */
async function unprivilegedUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  return { uid: await idOf("-u"), gid: await idOf("-g") };
}

async function idOf(option: "-u" | "-g"): Promise<number> {
  return Number((await run("id", [option, "postgres"])).stdout);
}
