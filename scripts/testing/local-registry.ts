import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { installApp as installFor } from "@tryon/test-kit/install-app";

/** A real registry on this machine, for the packages of one scope. */
export interface LocalRegistry {
  /** Makes npm publish `@tryon/…` there and install it from there, and everything else as ever. */
  readonly environment: Readonly<Record<string, string>>;
  /** The packages that were sent there, in order, whatever came of it. */
  readonly sent: string[];
  /** Packages whose publication is answered with 500. */
  readonly broken: Set<string>;
  close(): Promise<void>;
}

const program = `
  import { runServer } from "verdaccio";
  const server = await runServer("./config.yaml");
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

const config = `
storage: ./storage
auth:
  htpasswd:
    file: ./htpasswd
uplinks: {}
packages:
  "@tryon/*":
    access: $all
    publish: $authenticated
log: { type: stdout, level: fatal }
`;

/** Starts a registry in an empty folder, and a gate before it that can be broken. */
export async function startRegistry(folder: string, node: string): Promise<LocalRegistry> {
  // A part of it asks for node-fetch by a tag, which not every mirror of the npm registry has.
  const manifest = { overrides: { "node-fetch": "2.7.0" } };
  await installFor(folder, ["verdaccio@6.10.4"], { manifest });
  await writeFile(join(folder, "registry.mjs"), program);
  await writeFile(join(folder, "config.yaml"), config);
  const child = spawn(node, ["registry.mjs"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = await firstNumber(child);
  const sent: string[] = [];
  const broken = new Set<string>();
  const gate = gateBefore(port, (name) => {
    sent.push(name);
    return !broken.has(name);
  });
  gate.listen(0, "127.0.0.1");
  await once(gate, "listening");
  const address = gate.address();
  if (address === null || typeof address === "string") throw new Error("The gate has no port.");
  const host = `127.0.0.1:${address.port}`;
  const token = await register(`http://${host}`);
  return {
    environment: {
      "npm_config_@tryon:registry": `http://${host}/`,
      [`npm_config_//${host}/:_authToken`]: token,
    },
    sent,
    broken,
    async close() {
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      await gone;
      gate.closeAllConnections();
      gate.close();
    },
  };
}

async function firstNumber(child: ChildProcess): Promise<number> {
  if (child.stdout === null) throw new Error("The registry has no standard output.");
  for await (const line of createInterface({ input: child.stdout })) {
    if (/^\d+$/.test(line)) return Number(line);
  }
  throw new Error("The registry has not started.");
}

function gateBefore(port: number, letsIn: (name: string) => boolean): Server {
  return createServer((incoming, outgoing) => {
    const { method, url = "/", headers } = incoming;
    const name = decodeURIComponent(url.slice(1));
    if (method === "PUT" && name.startsWith("@") && !letsIn(name)) {
      incoming.resume();
      outgoing.writeHead(500, { "content-type": "application/json" });
      outgoing.end('{"error":"out of order"}');
      return;
    }
    const onward = request({ host: "127.0.0.1", port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
}

async function register(baseUrl: string): Promise<string> {
  const response = await fetch(`${baseUrl}/-/user/org.couchdb.user:releaser`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "releaser", password: "for this machine alone" }),
  });
  const { token } = (await response.json()) as { token?: string };
  if (token === undefined) throw new Error(`The registry lets nobody in: ${response.status}`);
  return token;
}
