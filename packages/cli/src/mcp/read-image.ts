import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { resolve, sep } from "node:path";

import { CommandError } from "../failure.ts";

/** Maximum size of an image of the service, in bytes. */
const maxImageBytes = 10_500_000;

/**
 * Returns an https URL as it is, or the bytes of a file. The file must be below one of the folders after all links are
 * resolved. A relative path starts at one of them, or at the working directory.
 *
 * @param folders - Absolute paths without links.
 * @throws CommandError `invalid_input`. It does not show which files exist outside the folders.
 */
export async function readImage(
  value: string,
  folders: readonly string[],
): Promise<string | Uint8Array> {
  if (/^https:\/\//i.test(value)) return value;
  for (const folder of folders) {
    for (const path of [resolve(folder, value), resolve(value)]) {
      const bytes = await readBelow(folder, path);
      if (bytes) return bytes;
    }
  }
  const problem = folders.length
    ? `is neither an https URL nor a file of up to ${maxImageBytes} bytes below a folder of --allow-dir.`
    : "is not an https URL. For paths, the user must start the server with --allow-dir.";
  throw new CommandError("invalid_input", `${JSON.stringify(value.slice(0, 200))} ${problem}`);
}

async function readBelow(folder: string, path: string): Promise<Uint8Array | undefined> {
  const real = await realpath(path).catch(() => "");
  if (!real.startsWith(folder.endsWith(sep) ? folder : folder + sep)) return undefined;
  // The file must not become a link meanwhile, and a pipe must not block. Windows has neither flag.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(real, flags).catch(() => undefined);
  try {
    const found = await file?.stat();
    if (!file || !found?.isFile() || found.size > maxImageBytes) return undefined;
    // A folder of the path can have become a link, and be a folder again. Linux has the path of the open file.
    const opened = process.platform === "linux" ? `/proc/self/fd/${file.fd}` : real;
    return (await realpath(opened).catch(() => "")) === real ? await file.readFile() : undefined;
  } finally {
    await file?.close();
  }
}
