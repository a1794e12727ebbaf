import {
  copyFileSync,
  mkdirSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import files from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join, relative } from "node:path";

import { useMock } from "@tryon/mock/vitest";
import { assetPath } from "@tryon/test-kit/repository";
import { describe, expect, it, onTestFinished, vi } from "vitest";

import {
  chargesOf,
  createFolder,
  input,
  limit,
  openMcp,
  startMcp,
  submissionsOf,
} from "../../test/mcp-session.ts";

const mock = useMock({ clock: "manual", options: { refusedKey: "kept", sparseSubmit: true } });
const { person } = input;

describe("images by path", () => {
  it("are sent from allowed folders, and are one charge by any path", async () => {
    const folder = createFolder();
    copyFileSync(assetPath("shirt.png"), join(folder, "shirt.png"));
    copyFileSync(assetPath("shirt.png"), join(folder, "copy.png"));
    const { call } = await openMcp([...limit(100), "--allow-dir", folder]);
    const ids = new Set<unknown>();
    const path = join(folder, "shirt.png");
    // Paths begin at a folder of --allow-dir, or at the working directory.
    const fromHere = relative(process.cwd(), path);
    for (const garment of ["shirt.png", path, "./copy.png", fromHere]) {
      const { value } = await call("submit", { person, garments: [garment] });
      ids.add(value["job_id"]);
    }
    expect([...ids]).toEqual([expect.stringMatching(/^job_/)]);
    expect(await chargesOf(mock)).toEqual([8]);
  });

  it("are rejected outside allowed folders, also by .. and links", async () => {
    const root = createFolder();
    const folder = join(root, "allowed");
    for (const name of ["allowed", "allowed-too", "secret"]) mkdirSync(join(root, name));
    for (const name of ["allowed-too", "secret"]) {
      copyFileSync(assetPath("shirt.png"), join(root, name, "shirt.png"));
    }
    symlinkSync(join(root, "secret/shirt.png"), join(folder, "link.png"));
    symlinkSync(join(root, "secret"), join(folder, "folder"));
    writeFileSync(join(folder, "notes.png"), new Uint8Array(1_000).fill(1));
    const { call } = await openMcp([...limit(100), "--allow-dir", folder]);
    const paths = `../secret/shirt.png ${root}/secret/shirt.png link.png folder/shirt.png
      ${root}/allowed-too/shirt.png missing.png . notes.png http://shop.example/shirt.png
      file://${root}/secret/shirt.png data:image/png;base64,iVBO`.split(/\s+/);
    for (const path of paths) {
      const { error } = await call("submit", { person, garments: [path] });
      expect(error, path).toMatch(/^invalid_input: /);
    }
    expect(submissionsOf(mock)).toBe(0);
  });

  // Only Linux has a path of the open file itself.
  it.each(process.platform === "linux" ? ["stays", "is replaced again"] : ["stays"])(
    "are rejected if a folder becomes a link before the file is opened, and the link %s",
    async (end) => {
      const root = createFolder();
      const [folder, secret] = [join(root, "allowed"), join(root, "secret")];
      const [looks, moved] = [join(folder, "looks"), join(folder, "moved")];
      for (const path of [looks, secret]) {
        mkdirSync(path, { recursive: true });
        copyFileSync(assetPath("shirt.png"), join(path, "shirt.png"));
      }
      const { call } = await openMcp([...limit(100), "--allow-dir", folder]);
      const open = vi.spyOn(files, "open").mockImplementationOnce(async (...args) => {
        renameSync(looks, moved);
        symlinkSync(secret, looks);
        const file = await files.open(...args);
        if (end === "is replaced again") {
          unlinkSync(looks);
          renameSync(moved, looks);
        }
        return file;
      });
      syncBuiltinESMExports();
      onTestFinished(() => {
        open.mockRestore();
        syncBuiltinESMExports();
      });
      const { error } = await call("submit", { person, garments: ["looks/shirt.png"] });
      expect(error).toMatch(/^invalid_input: /);
      expect(open).toHaveBeenCalledTimes(2);
      expect(submissionsOf(mock)).toBe(0);
    },
  );

  it("need --allow-dir with a folder that exists", async () => {
    const { call } = await openMcp(limit(100));
    const { error } = await call("submit", { person, garments: [assetPath("shirt.png")] });
    expect(error).toMatch(/^invalid_input: .+--allow-dir/);
    const missing = startMcp([...limit(100), "--allow-dir", join(createFolder(), "none")]);
    expect(await missing.ended).toBe(2);
  });
});
