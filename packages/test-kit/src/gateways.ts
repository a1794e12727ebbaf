import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { freePort } from "./free-port.ts";
import { findProgram } from "./installed-programs.ts";
import { startProgram, type Program } from "./start-program.ts";

/** A gateway or proxy for one test. */
export interface Gateway {
  readonly url: string;
  stop(): Promise<void>;
}

interface Kind {
  /** Adds to a configuration what Debian has in other files, and what keeps the program in its folder. */
  readonly complete: (config: string, folder: string) => string;
  readonly args: (file: string, folder: string, port: number) => readonly string[];
  /** Signal that ends it at once. @default SIGKILL, since others wait for open connections */
  readonly signal?: NodeJS.Signals;
}

const apacheModules = "mpm_event authz_core headers proxy proxy_http reqtimeout rewrite".split(" ");
const nginxFolders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];

const kinds = {
  nginx: {
    complete: (config) => `
      daemon off;
      pid nginx.pid;
      error_log stderr;
      worker_processes 1;
      events {}
      http {
        access_log off;
        ${nginxFolders.map((name) => `${name}_temp_path ${name};`).join("\n")}
        ${config}
      }`,
    args: (file, folder) => ["-p", folder, "-e", "stderr", "-c", file],
  },
  haproxy: {
    complete: (config) => config,
    args: (file) => ["-db", "-f", file],
  },
  apache: {
    complete: (config, folder) => `
      ServerRoot ${folder}
      ServerName localhost
      PidFile apache.pid
      ErrorLog error.log
      ${apacheModules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join("\n")}
      Listen 127.0.0.1:8080
      ${config}`,
    args: (file) => ["-DFOREGROUND", "-f", file],
  },
  caddy: {
    complete: (config) => `
      {
        admin off
        default_bind 127.0.0.1
      }
      ${config}`,
    args: (file) => ["run", "--adapter", "caddyfile", "--config", file],
  },
  varnish: {
    complete: (config) => config,
    args: (file, folder, port) => {
      const own = ["-F", "-j", "none", "-n", folder, "-s", "malloc,16m"];
      return [...own, "-a", `127.0.0.1:${port}`, "-f", file];
    },
  },
  squid: {
    complete: (config, folder) => `
      pid_filename ${folder}/squid.pid
      cache_log ${folder}/cache.log
      access_log none
      coredump_dir ${folder}
      max_filedescriptors 1024
      pinger_enable off
      visible_hostname localhost
      shutdown_lifetime 0 seconds
      ${config}`,
    args: (file, _folder, port) => ["-N", "-d1", "-n", `tryon${port}`, "-f", file],
    // Otherwise it leaves shared memory behind.
    signal: "SIGTERM",
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type GatewayName = keyof typeof kinds;

/** Debian's user without rights. These programs refuse to run as root, or change to a user who cannot read the folder. */
const unprivileged = { uid: 65_534, gid: 65_534 };

/**
 * Starts a gateway with a configuration in which 8080 is its port and 3000 that of the server behind it, and waits until it
 * listens.
 *
 * @throws Error with the output of the program, if it rejects the configuration.
 */
export async function startGateway(
  name: GatewayName,
  config: string,
  upstream: { readonly port: number },
): Promise<Gateway> {
  const { complete, args, signal = "SIGKILL" }: Kind = kinds[name];
  const binary = await findProgram(name);
  const folder = await mkdtemp(join(tmpdir(), `tryon-${name}-`));
  const file = join(folder, "config");
  const port = await freePort();
  const ports = complete(config, folder)
    .replaceAll(/\b8080\b/g, String(port))
    .replaceAll(/\b3000\b/g, String(upstream.port));
  await writeFile(file, `${ports}\n`);
  const user = process.getuid?.() === 0 ? unprivileged : undefined;
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  const env = { PATH: process.env["PATH"], HOME: folder, LC_ALL: "C.UTF-8" };
  const options = { ...user, env, cwd: folder, detached: true };
  const program = startProgram(binary, args(file, folder, port), options);
  const stop = async (): Promise<void> => {
    await program.stop(signal);
    await rm(folder, { recursive: true, maxRetries: 5 });
  };
  try {
    await waitUntilListening(program, port);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `http://127.0.0.1:${port}`, stop };
}

async function waitUntilListening(program: Program, port: number): Promise<void> {
  const ended = program.ended.then(() => true);
  while (!(await isListening(port))) {
    if (await Promise.race([ended, setTimeout(50, false)])) {
      throw new Error(`The gateway ended before it listened:\n${program.text}`);
    }
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
