import { join } from "node:path";

import { root } from "@tryon/test-kit/repository";
import { build } from "esbuild";

const programs = join(import.meta.dirname, "programs");

export const programSetup = {
  process: (program: string) => `
    import { argv, stdout, versions } from "node:process";
    import { run } from ${JSON.stringify(program)};
    const { Bun, Deno } = globalThis;
    const loopback = { hostname: "127.0.0.1", port: 0 };
    const listen = (handler) => {
      const server = Bun ? Bun.serve({ ...loopback, fetch: handler }) : Deno.serve({ ...loopback, onListen() {} }, handler);
      server.unref();
      return "http://127.0.0.1:" + (Bun ? server.port : server.addr.port);
    };
    run({ ...JSON.parse(argv[2]), listen }).then((value) => stdout.write(JSON.stringify({ value, versions }) + "\\n"));`,
  worker: (program: string) => `
    import { run } from ${JSON.stringify(program)};
    const served = [];
    export default {
      async fetch(request) {
        const { origin, pathname } = new URL(request.url);
        const [, first, index] = pathname.split("/");
        if (first === "served") return served[index](new Request(request.url.replace("/served/" + index, ""), request));
        const listen = (handler) => origin + "/served/" + (served.push(handler) - 1);
        try {
          return Response.json({ value: await run({ ...await request.json(), listen }) });
        } catch (error) {
          return Response.json({ error: error.stack });
        }
      },
    };`,
  page: (program: string) => `
    import { run } from ${JSON.stringify(program)};
    globalThis.run = run;`,
} as const;

/** Bundles a program into one file in a folder. It imports the packages that are installed there. */
export async function writeProgram(
  program: string,
  where: keyof typeof programSetup,
  format: "esm" | "cjs",
  file: string,
): Promise<void> {
  await build({
    stdin: {
      contents: programSetup[where](join(programs, `${program}.ts`)),
      resolveDir: programs,
      loader: "js",
    },
    bundle: true,
    packages: "external",
    // Not published, so the program contains them.
    alias: {
      "@tryon/spec": join(root, "spec"),
      "@tryon/webhooks/testing": join(root, "packages/webhooks/test"),
    },
    // In the workspace the package would resolve to its sources.
    platform: where === "process" ? "node" : "neutral",
    format,
    target: "es2022",
    outfile: file,
    logLevel: "silent",
  });
}
