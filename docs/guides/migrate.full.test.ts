import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { clientPeers } from "@tryon/bench/peers";
import { AppFolder } from "@tryon/test-kit/app-folder";
import { node, root } from "@tryon/test-kit/repository";
import { readPage } from "../code/pages.ts";
import { retriesOfPeers } from "./retries-of-peers.ts";

/** Limit for a compiler or a program on a busy machine, in milliseconds. */
const timeout = 120_000;
const { text: page, blocks } = await readPage("docs/guides/migrate.md");

/** Packages of the page. The benchmarks have the same versions of those that they compare with. */
const others = [
  ...clientPeers.filter((peer) => /^(fashn|replicate|@fal-ai\/client)@/.test(peer)),
  "@fal-ai/server-proxy@1.2.1",
];

/** The code for the other services: ```ts name.ts peer */
const before = blocks.filter(({ kind }) => kind === "peer");

let app: AppFolder;

beforeAll(async () => {
  // Inside the repository, where the types of Node are found.
  app = await AppFolder.inRepository("others");
  await app.install(others, { manifest: { type: "module" } });
}, 240_000);

afterAll(async () => {
  await app.remove();
});

async function complaints(modules: readonly { name: string; code: string }[]): Promise<string> {
  for (const { name, code } of modules) await app.write(`typed/${name}`, code);
  const compilerOptions = { noPropertyAccessFromIndexSignature: false };
  const include = modules.map(({ name }) => `typed/${name}`);
  return app.compile({ extends: join(root, "tsconfig.json"), compilerOptions, include });
}

describe("the code for other services", { timeout }, () => {
  it("names the versions that it was compiled against", () => {
    expect(others).toHaveLength(4);
    for (const other of others) {
      const [, name = "", version = ""] = /^(.+)@(.+)$/.exec(other) ?? [];
      expect(page).toContain(`\`${name}\` ${version}`);
    }
  });

  it("compiles against them", async () => {
    expect(before.length).toBeGreaterThanOrEqual(9);
    expect(await complaints(before)).toBe("");
  });

  it("would not if a name were wrong", async () => {
    const [first] = before;
    const wrong = (first?.code ?? "").replace("predictions.subscribe", "predictions.subscribed");
    expect(await complaints([{ name: "wrong.ts", code: wrong }])).toContain("subscribed");
  });
});

describe("the other packages", { timeout }, () => {
  it("retry submissions as the page says, and send no key with them", async () => {
    await app.write("retries.js", retriesOfPeers);
    const program = app.start(node, ["retries.js"]);
    await program.ended;
    const { stdout } = program.output;
    const connection = "connection";
    expect(JSON.parse(stdout)).toEqual({
      fashn: { repeated: [408, 409, 429, 500, 502, 503, 504, connection], keys: 0 },
      replicate: { repeated: [429, connection], keys: 0 },
      fal: { repeated: [429, 502, 503, 504, connection], keys: 0 },
    });
    expect(page).toContain(
      "`fashn` retries a submission after connection errors, 408, 409, 429 and 5xx. `@fal-ai/client` retries after connection errors, 429, 502, 503 and 504, and `replicate` after connection errors and 429.",
    );
  });
});
