import { cp } from "node:fs/promises";
import { join } from "node:path";

import type { AppFolder } from "@tryon/test-kit/app-folder";
import { freePort } from "@tryon/test-kit/free-port";
import { packedPackages } from "@tryon/test-kit/packages";
import { chargesOf, serveMock } from "@tryon/test-kit/serve-mock";

import { checks } from "./checks.ts";
import type { Framework } from "./frameworks.ts";
import { checkInstalled, commandOf } from "./install-row.ts";
import { works, type Result } from "./row.ts";

const secret = "whsec_frameworks";

/** Builds and starts the app of a framework, and runs the checks against it. */
export async function runFramework(
  framework: Framework,
  installed: Result["versions"] = {},
): Promise<Result> {
  const { client, webhooks } = await packedPackages();
  const { mock, url: baseUrl } = await serveMock({ latency: 500 });
  const options = { own: [client, webhooks], manifest: { type: "module", main: "index.mjs" } };
  return checkInstalled(framework, installed, options, async (app) => {
    const { id, build, start, env, without } = framework;
    for (const folder of ["shared", `apps/${id}`])
      await cp(join(import.meta.dirname, folder), app.folder, { recursive: true });
    if (build !== undefined) await app.run(...commandOf(app, build));
    const port = await freePort();
    const program = app.start(...commandOf(app, start), {
      ...env,
      PORT: String(port),
      HOST: "127.0.0.1",
      NITRO_HOST: "127.0.0.1",
      TRYON_API_KEY: mock.keys.live,
      TRYON_BASE_URL: baseUrl,
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
        async untilHandled(event: string) {
          const ending = program.waitFor(new RegExp(`^handled ${event} `, "m"));
          await Promise.race([ending, new Promise((later) => setTimeout(later, 5_000))]);
        },
        charges: async () => (await chargesOf(mock)).length,
      };
      const outcomes: Record<string, string> = {};
      for (const [name, { run }] of Object.entries(checks))
        outcomes[name] = without?.[name] ?? (await run(running).catch(String)) ?? works;
      return outcomes;
    } finally {
      await program.stop("SIGKILL");
    }
  });
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
