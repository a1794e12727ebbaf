import { describe, expect, test } from "vitest";

import { readArguments } from "./arguments.ts";

const subjects = ["small", "upload", "weight"];

describe("the command line", () => {
  test("without a name stands for all", () => {
    expect(readArguments(["--", "--write"], subjects)).toEqual({
      names: subjects,
      write: true,
      client: undefined,
    });
  });

  test("chooses subjects in the order of the page, and another client", () => {
    expect(readArguments(["weight", "small", "--client=/tmp/other"], subjects)).toEqual({
      names: ["small", "weight"],
      write: false,
      client: "/tmp/other",
    });
  });

  test.each(["wieght", "--wirte", "--client"])(
    "is refused with %s, naming what there is",
    (given) => {
      const read = () => readArguments([given], subjects);
      expect(read).toThrow(`There is no ${given}; there are small, upload, weight, and --write`);
    },
  );

  test.each(["small", "--client=/tmp/other"])("writes no page of %s alone", (given) => {
    expect(() => readArguments([given, "--write"], subjects)).toThrow("--write is about all");
  });
});
