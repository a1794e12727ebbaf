import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { expect, it } from "vitest";

const program = fileURLToPath(new URL("../../test/batch-memory.ts", import.meta.url));

/** Measures the heap in bytes after few and after many items, in a separate process. */
async function measured(...values: readonly string[]): Promise<{ few: number; many: number }> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--expose-gc",
    "--conditions=@tryon/source",
    program,
    ...values,
  ]);
  // The program prints nothing else.
  return JSON.parse(stdout) as { few: number; many: number };
}

it("uses no more memory after 100,000 items than after 20,000", async () => {
  const { few, many } = await measured("20000", "100000");
  // The figures are a purpose of this test.
  // oxlint-disable-next-line no-console
  console.log(`heap after 20,000 items ${few} bytes, after 100,000 ${many} bytes`);
  expect(many - few).toBeLessThan(4 * 2 ** 20);
}, 600_000);

it("uses little memory per item with a journal", async () => {
  const { few, many } = await measured("5000", "25000", "journal");
  const each = (many - few) / 20_000;
  // oxlint-disable-next-line no-console
  console.log(`${Math.round(each)} bytes per item, including the journal in memory`);
  expect(each).toBeLessThan(4_000);
}, 600_000);
