import { createHash } from "node:crypto";

import { describe, expect, test } from "vitest";

import { SeededRandom } from "./random.ts";

function block(counter: number): readonly number[] {
  return [...createHash("sha256").update(`demo\n${counter}`).digest()];
}

describe("SeededRandom", () => {
  test("is the SHA-256 of the seed and a counter", () => {
    const random = new SeededRandom("demo");
    const bytes = Array.from({ length: 40 }, () => random.byte());
    expect(bytes).toEqual([...block(0), ...block(1)].slice(0, 40));
  });

  test("has letters and digits of similar frequency", () => {
    const text = new SeededRandom("letters").token(62_000);
    expect(text).toMatch(/^[0-9A-Za-z]{62000}$/);
    const counts = new Map<string, number>();
    for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).toBe(62);
    expect(Math.min(...counts.values())).toBeGreaterThan(800);
    expect(Math.max(...counts.values())).toBeLessThan(1_200);
  });

  test("has fractions from 0 to 1", () => {
    const random = new SeededRandom("fractions");
    const fractions = Array.from({ length: 1_000 }, () => random.fraction());
    expect(fractions.every((fraction) => fraction >= 0 && fraction < 1)).toBe(true);
    const mean = fractions.reduce((sum, fraction) => sum + fraction, 0) / fractions.length;
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.05);
  });
});
