import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { AppFolder, installing } from "@tryon/test-kit/app-folder";
import { freePort } from "@tryon/test-kit/free-port";
import { packedPackages } from "@tryon/test-kit/packages";
import { assetPath } from "@tryon/test-kit/repository";
import type { Program } from "@tryon/test-kit/start-program";
import { blocksOf, type Block } from "../code/blocks.ts";

const waiting = { timeout: 60_000 };
const page = await readFile(join(import.meta.dirname, "get-started.md"), "utf8");

const path = "docs/guides/get-started.md";
const blocks = (language: string, text = page): readonly Block[] =>
  blocksOf(path, text).filter((block) => block.language === language);
const commands = (text: string): readonly string[] =>
  blocks("sh", text).flatMap(({ code }) => code.trim().split("\n"));

const [first = "", more = ""] = page.split("## Use your own images\n");

let app: AppFolder;
let tarballs: readonly string[];
const running: Program[] = [];

beforeAll(async () => {
  app = await AppFolder.create("quickstart", { CI: undefined });
  const { client, webhooks, mock } = await packedPackages();
  tarballs = [client, webhooks, mock];
}, installing);

afterAll(async () => {
  for (const command of running) await command.stop();
  await app.remove();
}, installing);

/** A reader in an empty folder, who types what the page says and makes the files that it shows. */
class Reader {
  readonly #ports: ReadonlyMap<string, number>;
  /** Folder below that of the app, in which the reader is. */
  #current = ".";

  constructor(ports: ReadonlyMap<string, number>) {
    this.#ports = ports;
  }

  /** Replaces the ports of the page by free ones, and the packages by their tarballs. */
  here(text: string): string {
    const published = "npm install @tryon/client @tryon/webhooks @tryon/mock";
    const there = text.replace(published, `npm install ${tarballs.join(" ")}`);
    return [...this.#ports].reduce((at, [port, own]) => at.replaceAll(port, `${own}`), there);
  }

  path(name: string): string {
    return app.path(this.#current, name);
  }

  async type(command: string): Promise<string> {
    const [, to] = /^cd (\S+)$/.exec(command) ?? [];
    if (to === undefined) return app.shell(`cd ${this.#current} && ${this.here(command)}`);
    this.#current = join(this.#current, to);
    return "";
  }

  async start(command: string, line: RegExp): Promise<Program> {
    const one = app.start("sh", ["-c", `cd ${this.#current} && ${this.here(command)}`]);
    running.push(one);
    await one.waitFor(line);
    return one;
  }

  async makeFiles(): Promise<void> {
    const environment = blocks("text").find(({ name }) => name === ".env");
    await app.write(join(this.#current, ".env"), this.here(environment?.code ?? ""));
    for (const { name, code } of blocks("ts")) {
      await app.write(join(this.#current, name), this.here(code));
    }
  }

  /** The kind of pixels that a PNG has: 3 is a palette, as drawings have, and 2 is true color, as photos have. */
  async colorType(image: string): Promise<number> {
    return (await readFile(this.path(image))).readUInt8(25);
  }

  async size(image: string): Promise<readonly number[]> {
    const png = await readFile(this.path(image));
    return [png.readUInt32BE(16), png.readUInt32BE(20)];
  }
}

it(
  "leads from an empty folder to an image and a verified webhook, and to own images",
  async () => {
    const ports = new Map([
      ["4010", await freePort()],
      ["3000", await freePort()],
    ]);
    const reader = new Reader(ports);
    const steps = commands(first);
    expect(steps.length).toBeLessThan(10);
    const [serve = "", image = "", receive = "", order = "", ...none] = steps.slice(5);
    expect(none).toEqual([]);
    for (const command of steps.slice(0, 5)) await reader.type(command);
    await reader.makeFiles();

    const server = await reader.start(serve, /listening on/);
    const printed = blocks("text").find(({ name }) => name === "");
    expect(await reader.type(image)).toBe(printed?.code);
    expect(await reader.size("image.png")).toEqual([768, 1_024]);

    const receiver = await reader.start(receive, /waiting for webhooks/);
    const [, id] = /^submitted: (job_\w+)\n$/.exec(await reader.type(order)) ?? [];
    await expect.poll(() => receiver.text, waiting).toContain(`verified: ${id} succeeded\n`);
    await expect
      .poll(() => reader.size(`${id}.png`).catch(() => []), waiting)
      .toEqual([768, 1_024]);

    const forged = { method: "POST", body: JSON.stringify({ job_id: id, status: "succeeded" }) };
    const headers = { "x-service-signature": `sha256=${"0".repeat(64)}` };
    const answer = await fetch(reader.here("http://127.0.0.1:3000/"), { ...forged, headers });
    expect(answer.status).toBe(400);
    expect(receiver.text.match(/verified/g)).toHaveLength(1);

    const [install = "", compose = "", own = "", ...others] = commands(more);
    expect(others).toEqual([]);
    for (const [from, to] of [
      ["person.jpg", "me.jpg"],
      ["shirt.png", "shirt.png"],
    ] as const) {
      await copyFile(assetPath(from), reader.path(to));
    }
    await server.stop();
    await reader.type(install);
    const other = await reader.start(compose, /engine composite/);
    expect(await reader.type(own)).toBe("");
    expect(await reader.size("own.png")).toEqual([768, 1_024]);
    // Her photo is in it.
    expect(await reader.colorType("image.png")).toBe(3);
    expect(await reader.colorType("own.png")).toBe(2);
    await other.stop();
  },
  installing,
);
