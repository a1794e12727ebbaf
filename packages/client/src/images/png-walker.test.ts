import { describe, expect, it } from "vitest";

import { smallPng } from "../../test/service.ts";
import { PngWalker } from "./png-walker.ts";

/** Creates a chunk of a PNG with a checksum of zeros. */
const chunk = (type: string, data: number[], length = data.length) => [
  ...[24, 16, 8, 0].map((shift) => (length >>> shift) & 255),
  ...Buffer.from(type),
  ...data,
  0,
  0,
  0,
  0,
];
const signature = [...smallPng.subarray(0, 8)];
const end = chunk("IEND", []);

/** Pushes bytes in parts of a size, and returns the state after each part. */
function walk(bytes: Iterable<number>, size: number) {
  const walker = new PngWalker();
  const all = Uint8Array.from(bytes);
  const states: string[] = [];
  for (let at = 0; at < all.length; at += size) {
    walker.push(all.subarray(at, at + size));
    states.push(walker.isInvalid ? "invalid" : walker.isComplete ? "complete" : "partial");
  }
  return states;
}

describe("a PNG", () => {
  it("is complete with its last byte, and neither complete nor invalid before", () => {
    const states = walk(smallPng, 1);
    expect(states.slice(0, -1).filter((state) => state !== "partial")).toEqual([]);
    expect(states.at(-1)).toBe("complete");
    expect(new PngWalker()).toMatchObject({ isComplete: false, isInvalid: false });
  });

  it.each([1, 2, 3, 7, 8, 20, 1_000])("may come in parts of %i bytes", (size) => {
    const data = [
      ...signature,
      ...chunk(
        "IDAT",
        Array.from({ length: 300 }, () => 7),
      ),
      ...end,
    ];
    expect(walk(data, size).at(-1)).toBe("complete");
    expect(walk(data.slice(0, -1), size).at(-1)).toBe("partial");
    expect(walk([...data, ...signature, 1, 2, 3], size).at(-1)).toBe("complete");
  });

  it("may have the bytes of IEND in its data, and ends with the checksum of the last chunk", () => {
    const data = [...signature, ...chunk("tEXt", end)];
    expect(walk(data, 1_000)).toEqual(["partial"]);
    expect(walk([...data, ...end.slice(0, 8)], 1_000)).toEqual(["partial"]);
    expect(walk([...data, ...end], 1_000)).toEqual(["complete"]);
    expect(walk([...signature, ...chunk("IENDx".slice(1), end)], 1_000)).toEqual(["partial"]);
  });

  it("may say that a chunk has 4 GB, and is then not complete", () => {
    expect(walk([...signature, ...chunk("IDAT", end, 2 ** 32 - 1), ...end], 9).at(-1)).toBe(
      "partial",
    );
  });

  it.each([0, 1, 4, 7])("is invalid from the first wrong byte of its signature, byte %i", (at) => {
    const wrong = [...smallPng];
    wrong[at] = 1;
    const states = walk(wrong, 1);
    expect(states.findIndex((state) => state === "invalid")).toBe(at);
    expect(new Set(states.slice(at))).toEqual(new Set(["invalid"]));
    expect(walk(wrong, 1_000)).toEqual(["invalid"]);
  });
});
