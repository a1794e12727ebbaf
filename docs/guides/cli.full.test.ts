import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { AppFolder, installing } from "@tryon/test-kit/app-folder";
import { root } from "@tryon/test-kit/repository";
import { blocksOf } from "../code/blocks.ts";
import { isOutput } from "../code/output.ts";
import { openPrograms, type Programs } from "../code/programs.ts";

const page = await readFile(join(import.meta.dirname, "cli.md"), "utf8");
const [tasks = ""] = page.split("<!-- commands -->");
const blocks = blocksOf("docs/guides/cli.md", tasks);
const commands = blocks
  .filter(({ language }) => language === "sh")
  .flatMap(({ code, output }) =>
    code
      .trim()
      .split("\n")
      .map((command) => ({ command, output })),
  )
  .filter(({ command }) => command.startsWith("npx tryon "));

let programs: Programs;
let app: AppFolder;
let id = "";

beforeAll(async () => {
  programs = await openPrograms();
  const [snippet] = blocks;
  if (!snippet) throw new Error("The page has no code.");
  const context = await programs.contextOf(snippet);
  const { server, mock } = context;
  app = new AppFolder(context.app.folder, {
    TRYON_BASE_URL: server.url,
    TRYON_API_KEY: mock.keys.live,
    TRYON_WEBHOOK_SECRET: mock.webhookSecret,
  });
  const items = blocks.find(({ name }) => name === "items.csv");
  await app.write("items.csv", items?.code ?? "");
  await app.write("token.txt", "spt_one");
  const receiver = `import { createServer } from "node:http";
    import { createReceiver } from "@tryon/webhooks/node";
    const secrets = process.env.TRYON_WEBHOOK_SECRET;
    const server = createServer(createReceiver({ secrets, onCompleted: () => {} }));
    server.listen(0, "localhost", () => console.log(server.address().port));`;
  await app.write("receiver.ts", receiver);
}, installing);

afterAll(() => programs.close());

/** Replaces the port and the job of the page, and runs the command of this repository. */
function here(command: string, port: string): string {
  return command
    .replace("npx tryon ", `node --conditions=@tryon/source ${root}/packages/cli/src/main.ts `)
    .replace("3000", port)
    .replace("job_4fK9sQ2mZx7LbT1cVw8RnE3y", id);
}

it("the commands of the page work", { timeout: 300_000 }, async () => {
  expect(commands.length).toBeGreaterThan(8);
  const receiver = app.start("node", ["receiver.ts"]);
  const [, port = ""] = await receiver.waitFor(/^(\d+)$/m);
  for (const { command, output } of commands) {
    if (command.includes(" listen ")) {
      const listening = app.start("sh", ["-c", here(command, port)]);
      await listening.waitFor(/Listening for jobs that end/);
      await listening.stop("SIGINT");
      continue;
    }
    const quiet = output === undefined ? "" : " 2>/dev/null";
    const printed = await app.shell(here(command, port) + quiet);
    [id = ""] = /job_\w{9,}/.exec(printed) ?? [id];
    const shown =
      output ?? (command.includes("doctor") ? "…\nok    Webhook      204 after … ms\n" : "…");
    expect(isOutput(shown, printed) ? shown : printed).toBe(shown);
  }
  await receiver.stop();
  for (const image of ["outfit.png", "downloaded.png", "looks/sku-1.png", "looks/sku-2.png"]) {
    expect((await readFile(app.path(image))).length).toBeGreaterThan(1_000);
  }
});
