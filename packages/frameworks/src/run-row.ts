import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";

import { createMock } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { AppFolder } from "@tryon/test-kit/app-folder";
import { freePort } from "@tryon/test-kit/free-port";
import { packedPackages } from "@tryon/test-kit/packages";
import { node } from "@tryon/test-kit/repository";

import { checks } from "./checks.ts";
import { works, type Result } from "./result.ts";
import type { Row } from "./rows.ts";

const secret = "whsec_frameworks";
const place = (folder: string): string => join(import.meta.dirname, folder);

/** Packages of an install command, with their versions or the newest. */
export function packagesWith(
  packages: readonly string[],
  versions: Readonly<Record<string, string>>,
): readonly string[] {
  return packages.map((spec) => {
    const name = nameOf(spec);
    return versions[name] === undefined ? spec : `${name}@${versions[name]}`;
  });
}

export function nameOf(spec: string): string {
  return spec.replace(/(?<=.)@.*/, "");
}

export async function versionsOf(
  app: AppFolder,
  packages: readonly string[],
): Promise<Record<string, string>> {
  const versions: Record<string, string> = {};
  for (const name of packages.map(nameOf)) {
    const text = await readFile(app.path("node_modules", name, "package.json"), "utf8");
    // npm has parsed the file.
    versions[name] = (JSON.parse(text) as { version: string }).version;
  }
  return versions;
}

/** First line of an error that says something, without paths and colors. */
export function firstLine(error: unknown): string {
  const lines = String(error)
    // oxlint-disable-next-line no-control-regex -- Colors of a terminal.
    .replaceAll(/\u001B\[[\d;]*m/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const line = lines.find((one) => /error/i.test(one)) ?? lines.join(" ");
  return line.replaceAll(/\s+/g, " ").trim().slice(0, 300);
}

/** Returns the command of arguments of Node, or of those of a package's command. */
export function commandOf(app: AppFolder, args: readonly string[]): [string, readonly string[]] {
  const [first = "", ...others] = args;
  if (/^-|[./]/.test(first)) return [node, args];
  return [app.path("node_modules/.bin", first), others];
}

/**
 * Installs a framework, builds and starts its app, and runs the checks against it.
 *
 * @param versions - Versions of packages. The others are the newest.
 */
export async function runRow(
  row: Row,
  versions: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const { client, webhooks } = await packedPackages();
  const app = await AppFolder.create(`framework-${row.id}`);
  const mock = createMock({ latency: 500 });
  const service = await serve(mock);
  try {
    const packages = packagesWith(row.packages, versions);
    const manifest = { type: "module", main: "index.mjs" };
    await app.install([client, webhooks, ...packages], { scripts: row.scripts === true, manifest });
    for (const folder of ["shared", `apps/${row.id}`])
      await cp(place(folder), app.folder, { recursive: true });
    if (row.build !== undefined) await app.run(...commandOf(app, row.build));
    const port = await freePort();
    const program = app.start(...commandOf(app, row.start), {
      ...row.env,
      PORT: String(port),
      HOST: "127.0.0.1",
      NITRO_HOST: "127.0.0.1",
      TRYON_API_KEY: mock.keys.live,
      TRYON_BASE_URL: service.url,
      TRYON_WEBHOOK_SECRET: secret,
    });
    try {
      const url = `http://127.0.0.1:${port}`;
      await untilListening(url, program);
      const running = {
        url,
        secret,
        handled: () =>
          Array.from(program.output.stdout.matchAll(/^handled (.*)$/gm), ([, line = ""]) => line),
        async untilHandled(id: string) {
          const ending = program.waitFor(new RegExp(`^handled ${id} `, "m"));
          await Promise.race([ending, new Promise((later) => setTimeout(later, 5_000))]);
        },
        charges: async () =>
          (await mock.ledger(mock.keys.live))?.entries.filter(({ jobId }) => jobId !== undefined)
            .length ?? 0,
      };
      const outcomes: Record<string, string> = {};
      for (const [name, { run }] of Object.entries(checks)) {
        outcomes[name] = row.without?.[name] ?? (await run(running).catch(String)) ?? works;
      }
      return { versions: await versionsOf(app, row.packages), outcomes };
    } finally {
      await program.stop("SIGKILL");
    }
  } finally {
    await service.close();
    mock.close();
    await app.remove();
  }
}

/** Waits until a server responds, or its program has ended. */
async function untilListening(url: string, program: ReturnType<AppFolder["start"]>): Promise<void> {
  let exit: unknown;
  void program.ended.then((end) => (exit = end));
  for (;;) {
    if (exit !== undefined) throw new Error(`The app has ended:\n${program.text}`);
    if (
      await fetch(url, { signal: AbortSignal.timeout(1_000) }).then(
        () => true,
        () => false,
      )
    )
      return;
    await new Promise((later) => setTimeout(later, 50));
  }
}
