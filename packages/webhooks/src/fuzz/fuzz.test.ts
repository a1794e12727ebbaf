import { expect, it } from "vitest";
import { safeVerify } from "../index.ts";
import { fuzz } from "./fuzz.ts";
import { codesAtLeast } from "./codes.ts";
import type { FuzzReport } from "./fuzz.ts";
import { unread } from "./unread.ts";

const verify = safeVerify;

async function codesOf(seed: number): Promise<FuzzReport["codes"]> {
  const { codes } = await fuzz({ seed, count: 500, verify });
  return codes;
}

it("deliveries that are changed here and there come to what an oracle says", async () => {
  const { codes, failures } = await fuzz({ seed: 1, count: 3_000, verify });
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
});
