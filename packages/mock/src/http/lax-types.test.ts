import { describe, expect, test } from "vitest";

import { manualServer } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";

const lax = { options: { jsonTypes: "lax" } } as const;

describe("the option jsonTypes lax", () => {
  test.each([
    [{ wait: "false", seed: "7" }, "running", 7],
    [{ wait: 0, seed: " 42 " }, "running", 42],
    [{ wait: "off", seed: "7.0" }, "running", 7],
    [{ wait: "N", seed: 7 }, "running", 7],
    [{ wait: false, seed: null }, "running", null],
    [{ wait: false }, "running", null],
  ])("accepts %j", async (fields, status, seed) => {
    covers("request.types.strictness");
    const { call } = manualServer(lax);
    const { body } = await call.submit(fields);
    expect(body).toMatchObject({ status, seed });
  });

  test.each([1, "1", "true", "YES", "on"])("takes %j as true", async (wait) => {
    covers("request.types.strictness");
    const { mock, call } = manualServer(lax);
    const sync = call.submit({ wait });
    await mock.clock.advance("2s");
    expect((await sync).body.status).toBe("succeeded");
  });

  test.each([
    [{ wait: "maybe" }, "bool_parsing"],
    [{ wait: 2 }, "bool_type"],
    [{ wait: null }, "bool_type"],
    [{ seed: "seven" }, "int_parsing"],
    [{ seed: "7.5" }, "int_parsing"],
    [{ seed: "-1" }, "greater_than_equal"],
    [{ prompt: 5 }, "string_type"],
  ])("refuses %j", async (fields, type) => {
    covers("request.types.strictness");
    const { call } = manualServer(lax);
    expect((await call.submit(fields)).problems.map((problem) => problem.type)).toEqual([type]);
  });
});
