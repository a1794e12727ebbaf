import { execFile } from "node:child_process";
import { chown, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { Client } from "pg";

import { Daemon } from "./store-server.ts";
import type { StoreServer } from "./store-server.ts";

const run = promisify(execFile);

/** Starts a PostgreSQL with the table of the store in it, on a socket in its folder. */
export async function startPostgres(binary: string): Promise<StoreServer> {
  const folder = await mkdtemp(join(tmpdir(), "tryon-postgres-"));
  const user = await unprivileged();
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  const options = { ...user, cwd: folder, env: { LC_ALL: "C.UTF-8", TZ: "UTC" } };
  const data = join(folder, "data");
  const setUp = ["-D", data, "-U", "tryon", "-A", "trust", "-E", "UTF8", "--no-sync"];
  await run(join(dirname(binary), "initdb"), setUp, options);

  const url = `postgres://tryon@/postgres?host=${encodeURIComponent(folder)}`;
  const args = ["-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"];
  let daemon: Daemon;
  const start = async (): Promise<void> => {
    daemon = new Daemon(binary, args, options);
    await daemon.ready(() => query(url, "SELECT 1"));
  };
  // In its own words a fast shutdown: connections are ended, and what was committed is kept.
  const stop = (): Promise<void> => daemon.stop("SIGINT");
  await start();
  await query(url, await readFile(join(import.meta.dirname, "../table.sql"), "utf8"));
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

async function query(url: string, statements: string): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query(statements);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** PostgreSQL refuses to run as root: then it runs as the user that its package has made. */
async function unprivileged(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const ids = ["-u", "-g"].map(async (which) => {
    const { stdout } = await run("id", [which, "postgres"]);
    return Number(stdout);
  });
  const [uid, gid] = await Promise.all(ids);
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}
