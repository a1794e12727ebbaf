import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { parseExchange, type Exchange } from "../src/record/exchange.ts";

const root = mkdtempSync(join(tmpdir(), "tryon-contract-"));
process.once("exit", () => rmSync(root, { recursive: true, force: true }));
let count = 0;

/** Returns a path in a new folder, which exists until the end of the process. */
export function newPath(name = ""): string {
  const folder = join(root, String((count += 1)));
  mkdirSync(folder);
  return join(folder, name);
}

export function newFile(content: string | Uint8Array, name = "session.ndjson"): string {
  const path = newPath(name);
  writeFileSync(path, content);
  return path;
}

export function exchangesIn(file: string): readonly Exchange[] {
  return readFileSync(file, "utf8").split("\n").filter(Boolean).map(parseExchange);
}

/** Lines of a session file. */
export function linesOf(exchanges: readonly object[]): string {
  return exchanges.map((exchange) => `${JSON.stringify(exchange)}\n`).join("");
}
