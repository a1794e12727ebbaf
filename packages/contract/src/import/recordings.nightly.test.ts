import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";

import { createMock } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { AppFolder, installing } from "@tryon/test-kit/app-folder";
import { freePort } from "@tryon/test-kit/free-port";
import { findProgram, isInstalled } from "@tryon/test-kit/installed-programs";
import { node } from "@tryon/test-kit/repository";
import { afterAll, beforeAll, expect, it } from "vitest";

import { images } from "../images.ts";
import {
  checked,
  recordedOptions,
  recordingPath,
  recordings,
} from "../../test/recordings/recordings.ts";

const packages = [
  "@pollyjs/core@6.0.6",
  "@pollyjs/persister-fs@6.0.6",
  "@pollyjs/adapter-node-http@6.0.6",
  "@pollyjs/adapter-fetch@6.0.7",
  "nock@15.0.6",
  "newman@6.2.2",
  "playwright-core@1.65.1",
] as const;

const programs = ["polly", "nock", "newman", "playwright", "devtools", "firefox", "mitmproxy"];
/** Scenarios of one program at most. */
const maxScenarios = 5;

const hasPrograms = await Promise.all(
  (["chromium", "firefox", "mitmproxy"] as const).map((name) => isInstalled(name)),
);
const canRecord = !hasPrograms.includes(false);

let app: AppFolder;
beforeAll(async () => {
  app = await AppFolder.with("recordings", ...packages);
  const folder = dirname(recordingPath(""));
  for (const file of await readdir(folder)) {
    if (file.endsWith(".mjs")) await cp(join(folder, file), app.path(file));
  }
  await mkdir(app.path("made"));
}, installing);
afterAll(() => app.remove());

/** Serves a reference server that compresses JSON, as gateways do. */
async function startServer() {
  const mock = createMock({ options: recordedOptions, latency: "700ms" });
  const server = await serve({
    async fetch(resource, init) {
      const response = await mock.fetch(resource, init);
      // `serve` always passes a `Request`.
      const accepted = (resource as Request).headers.get("accept-encoding") ?? "";
      const type = response.headers.get("content-type") ?? "";
      if (!accepted.includes("gzip") || !type.includes("json")) return response;
      const headers = new Headers(response.headers);
      headers.set("content-encoding", "gzip");
      headers.delete("content-length");
      const body = gzipSync(new Uint8Array(await response.arrayBuffer()));
      return new Response(body, { status: response.status, headers });
    },
  });
  const limitedKeys: string[] = [];
  for (let count = 0; count < maxScenarios; count += 1) {
    limitedKeys.push((await mock.createKey({ rateLimitPerMinute: 2 })).token);
  }
  const scenario = { baseUrl: server.url, key: mock.keys.live, limitedKeys, ...images };
  const stop = async () => {
    await server.close();
    mock.close();
  };
  return { scenario, stop };
}

it.runIf(canRecord)(
  "each tool makes a recording that shows the options of the server",
  { timeout: 600_000 },
  async () => {
    for (const program of programs) {
      const { scenario, stop } = await startServer();
      try {
        await app.run(node, [`${program}.mjs`], {
          RECORDED_SCENARIO: JSON.stringify(scenario),
          RECORDED_OUTPUT: app.path("made"),
          RECORDED_CHROMIUM: await findProgram("chromium"),
          RECORDED_FIREFOX: await findProgram("firefox"),
          RECORDED_PORT: String(await freePort()),
        });
      } finally {
        await stop();
      }
    }
    for (const row of recordings) {
      expect(checked(app.path("made", row.file), row)).toBe(row.file);
    }
    if (process.env["TRYON_RECORDINGS"] === "write") await save();
  },
);

/** Replaces the recordings of the repository, without indentation. */
async function save(): Promise<void> {
  const made = recordingPath("");
  await rm(made, { recursive: true, force: true });
  for (const { file } of recordings.filter(({ isNightly }) => isNightly !== true)) {
    const [folder, name] = file.includes("/") ? [dirname(file), file] : ["", file];
    await mkdir(join(made, folder), { recursive: true });
    if (folder !== "") await cp(app.path("made", folder), join(made, folder), { recursive: true });
    const bytes = await readFile(app.path("made", name));
    // Stacks of errors have the folder.
    const json = () => JSON.stringify(JSON.parse(bytes.toString())).replaceAll(app.folder, "/app");
    await writeFile(join(made, name), name.endsWith(".zip") ? bytes : json());
  }
}
