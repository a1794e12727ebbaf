import { createMock } from "@tryon/mock";
import { expect, test } from "vitest";

import { patched } from "../test/mutants/mutated-responses.ts";
import { planted } from "../test/mutants/mutant.ts";
import { runContract } from "./contract.ts";

test("checks responses below a base URL with a path against the document", async () => {
  const mock = createMock({ clock: "manual" });
  const change = planted(mock, patched("account", { total_calls: "many" }));
  const { checks } = await runContract({
    baseUrl: `${mock.baseUrl}/tryon`,
    fetch: (input, init) => change(new Request(input).url.replace("/tryon/", "/"), init),
    only: ["authentication.missing-key", "account."],
  });
  expect(checks.find(({ id }) => id === "responses.GET /api/v1/account.200")).toMatchObject({
    status: "failed",
    message: expect.stringContaining("total_calls"),
  });
});
