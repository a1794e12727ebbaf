import { describe, expect, test } from "vitest";

import { AnswerReader } from "./answer-reader.ts";

const answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello";

const take = (text: string) => () => new AnswerReader().take(Buffer.from(text));

describe("what reads answers off a connection", () => {
  test("finds the end of each, in whatever pieces they come", () => {
    for (let size = 1; size <= answer.length; size += 1) {
      const reader = new AnswerReader();
      for (let round = 0; round < 2; round += 1) {
        const ends: boolean[] = [];
        for (let at = 0; at < answer.length; at += size) {
          ends.push(reader.take(Buffer.from(answer.slice(at, at + size))));
        }
        expect(ends.pop()).toBe(true);
        expect(ends).not.toContain(true);
      }
    }
  });

  test("refuses what is not 200, and what has no length", () => {
    expect(take("HTTP/1.1 429 Too Many Requests\r\n\r\n")).toThrow("Got HTTP/1.1 429");
    expect(take("HTTP/1.1 200 OK\r\n\r\n")).toThrow("does not say how long");
  });
});
