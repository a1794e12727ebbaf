import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { findProgram, type ProgramName } from "@tryon/test-kit/installed-programs";

const run = promisify(execFile);

async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "tryon-encode-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Runs a command that reads `in.png`, or a file `in` with another extension, and writes a file `out`. Returns the latter,
 * or else the former, which the command has changed.
 */
export async function encode(image: Uint8Array, command: string): Promise<Buffer> {
  return inFolder(async (cwd) => {
    const [program = "", ...args] = command.split(" ");
    const [input = "in.png"] = /\bin\.\w+/.exec(command) ?? [];
    const [output = input] = /\bout\.\w+/.exec(command) ?? [];
    await writeFile(join(cwd, input), image);
    // The test names one of the programs.
    await run(await findProgram(program as ProgramName), args, { cwd });
    return readFile(join(cwd, output));
  });
}

const isTechnical =
  /^(SourceFile|(ExifTool|File|ICC_Profile|Composite|JFIF|RIFF|APP14):(?!Comment|Warning|Error|.*Trailer)|PNG:(ImageWidth|ImageHeight|BitDepth|ColorType|Compression|Filter|Interlace|ProfileName)|EXIF:Orientation$)/;

/** Returns the fields that exiftool finds in each image, with their groups, other than those about pixels and colors. */
export async function privateFields(...images: readonly Uint8Array[]): Promise<string[][]> {
  return inFolder(async (cwd) => {
    const names = images.map((_image, index) => String(index));
    await Promise.all(names.map((name, at) => writeFile(join(cwd, name), images[at] ?? "")));
    const args = ["-j", "-G", "-a", "-u", "-sort", ...names];
    const { stdout } = await run(await findProgram("exiftool"), args, { cwd });
    // The output has one object for each file.
    const found = JSON.parse(stdout) as readonly Readonly<Record<string, unknown>>[];
    return found.map((fields) => Object.keys(fields).filter((name) => !isTechnical.test(name)));
  });
}
