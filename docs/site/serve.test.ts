import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { afterEach, beforeEach, expect, it } from "vitest";

import { serveSite, type ServedSite } from "./serve.ts";

let folder: string;
let served: ServedSite;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tryon-serve-"));
  await mkdir(join(folder, "site/guides"), { recursive: true });
  await writeFile(join(folder, "secret.txt"), "Not for you.");
  await writeFile(join(folder, "site/index.html"), "Home.");
  await writeFile(join(folder, "site/guides/index.html"), "Guides.");
  served = await serveSite(join(folder, "site"));
});

afterEach(async () => {
  await served.close();
  await rm(folder, { recursive: true });
});

/** Asks for a path as it is written, which `fetch` would tidy up before. */
function ask(path: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    request(served.url, { path }, (answer) => {
      text(answer).then((body) => resolve({ status: answer.statusCode, body }), reject);
    })
      .once("error", reject)
      .end();
  });
}

it.each([
  ["/", "Home."],
  ["/guides/", "Guides."],
  ["/guides/index.html?from=home", "Guides."],
])("shows %s", async (path, body) => {
  expect(await ask(path)).toEqual({ status: 200, body });
});

it.each(["/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/none.html"])(
  "has no %s",
  async (path) => {
    expect(await ask(path)).toEqual({ status: 404, body: "There is no such page.\n" });
  },
);

it.each(["/%", "//", "/%00"])("goes on after %s, which is no path", async (path) => {
  expect(await ask(path)).toMatchObject({ status: 404 });
  expect(await ask("/")).toMatchObject({ status: 200 });
});
