import { expect, it } from "vitest";
import { safeVerify } from "../../src/index.ts";
import type { VerifyOptions } from "../../src/index.ts";
import { safeVerifySync } from "../../src/node/index.ts";
import type { VerifySyncOptions } from "../../src/node/index.ts";
import { fuzz } from "./fuzz.ts";
import { codesAtLeast } from "./codes.ts";
import type { FuzzReport } from "./fuzz.ts";
import { unread } from "./unread.ts";

const verify = safeVerify;
/** As bodies in memory alone are taken, which the types say and the trials know. */
const verifyAtOnce = (options: VerifyOptions) => safeVerifySync(options as VerifySyncOptions);

async function codesOf(seed: number): Promise<FuzzReport["codes"]> {
  const { codes } = await fuzz({ seed, count: 500, verify });
  return codes;
}

it("deliveries that are changed here and there come to what an oracle says, at once or not, in the same words", async () => {
  const { codes, failures } = await fuzz({ seed: 1, count: 3_000, verify, alike: verifyAtOnce });
  expect(failures).toEqual([]);
  expect(codes).toEqual(codesAtLeast(50));
});

it("so they do when their bodies are still to be read", async () => {
  const { codes, failures } = await fuzz({ seed: 2, count: 2_000, verify, unread });
  expect(failures).toEqual([]);
  expect(codes).toEqual(codesAtLeast(25));
});

it("the same seed makes the same trials, and another one makes others", async () => {
  expect(await codesOf(7)).toEqual(await codesOf(7));
  expect(await codesOf(7)).not.toEqual(await codesOf(8));
});

it("a verifier that is wrong, or throws, is told with what makes it so again", async () => {
  const wrong = await fuzz({
    seed: 3,
    count: 100,
    verify: () => ({ ok: false, code: "signature_mismatch", message: "Always." }),
  });
  expect(wrong.failures).toHaveLength(10);
  expect(wrong.failures[0]).toMatch(/^trial \d+ of seed 3 \(changed: .+\) had to be /);
  const throwing = await fuzz({
    seed: 3,
    count: 1,
    verify() {
      throw new RangeError("hostile");
    },
  });
  expect(throwing.failures).toEqual([expect.stringMatching(/was "threw RangeError: hostile"$/)]);
  const inOtherWords = await fuzz({
    seed: 3,
    count: 100,
    verify: (options) => ({ ...verifyAtOnce(options), message: "In other words." }),
    alike: verifyAtOnce,
  });
  expect(inOtherWords.failures[0]).toMatch(/ had to be alike, and was .+"In other words\."/);
});
