import { describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import { caller } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";

function setUp() {
  const mock = createMock({ clock: "manual", options: { jsonTypes: "lax" } });
  return { mock, call: caller(mock) };
}

describe("types that are written as others", () => {
  test.each([
    [{ wait: "false", seed: "7" }, "running", 7],
    [{ wait: 0, seed: " 42 " }, "running", 42],
    [{ wait: "off", seed: "7.0" }, "running", 7],
    [{ wait: "N", seed: 7 }, "running", 7],
    [{ wait: false, seed: null }, "running", null],
    [{ wait: false }, "running", null],
  ])("pass where the server is lax: %j", async (fields, status, seed) => {
    covers("request.types.strictness");
    const { call } = setUp();
    const { body } = await call.submit(fields);
    expect(body).toMatchObject({ status, seed });
  });

  test.each([1, "1", "true", "YES", "on"])(
    "wait where %j means true and the server is lax",
    async (wait) => {
      covers("request.types.strictness");
      const { mock, call } = setUp();
      const held = call.submit({ wait });
      await mock.clock.advance("2s");
      expect((await held).body.status).toBe("succeeded");
    },
  );

  test.each([
    [{ wait: "maybe" }, "bool_parsing"],
    [{ wait: 2 }, "bool_type"],
    [{ wait: null }, "bool_type"],
    [{ seed: "seven" }, "int_parsing"],
    [{ seed: "7.5" }, "int_parsing"],
    [{ seed: "-1" }, "greater_than_equal"],
    [{ prompt: 5 }, "string_type"],
  ])("are refused even by a lax server: %j", async (fields, type) => {
    covers("request.types.strictness");
    const { call } = setUp();
    expect((await call.submit(fields)).problems.map((problem) => problem.type)).toEqual([type]);
  });
});
