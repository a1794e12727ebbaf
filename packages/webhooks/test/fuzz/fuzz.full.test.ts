import { expect, it } from "vitest";
import { cases, seed } from "@tryon/test-kit/cases";
import { safeVerify } from "../../src/index.ts";
import type { VerifyOptions } from "../../src/index.ts";
import { safeVerifySync } from "../../src/node/index.ts";
import type { VerifySyncOptions } from "../../src/node/index.ts";
import { codesAtLeast } from "./codes.ts";
import { fuzz } from "./fuzz.ts";
import type { FuzzOptions, FuzzReport } from "./fuzz.ts";
import { unread } from "./unread.ts";

/** What came of so many trials, which is also written for whoever reads along. */
async function reportOf(run: Omit<FuzzOptions, "seed">): Promise<FuzzReport> {
  const report = await fuzz({ ...run, seed });
  const counts = JSON.stringify(report.codes);
  process.stdout.write(`${run.count} trials of seed ${seed}: ${counts}\n`);
  return report;
}

/** As bodies in memory alone are taken, which the types say and the trials know. */
const verifyAtOnce = (options: VerifyOptions) => safeVerifySync(options as VerifySyncOptions);

it("many changed deliveries come to what an oracle says", { timeout: 1_200_000 }, async () => {
  const { codes, failures } = await reportOf({ count: cases(1_000_000), verify: verifyAtOnce });
  expect(failures).toEqual([]);
  expect(codes).toEqual(codesAtLeast(cases(10_000)));
});

it("over Web Crypto they come to the same, in the same words", { timeout: 600_000 }, async () => {
  const run = { count: cases(100_000), verify: safeVerify, alike: verifyAtOnce };
  const { codes, failures } = await reportOf(run);
  expect(failures).toEqual([]);
  expect(codes).toEqual(codesAtLeast(cases(1_000)));
});

it("so do those whose bodies are still to be read", { timeout: 600_000 }, async () => {
  const { codes, failures } = await reportOf({ count: cases(100_000), verify: safeVerify, unread });
  expect(failures).toEqual([]);
  expect(codes).toEqual(codesAtLeast(cases(1_000)));
});
