import { expect, onTestFinished, test } from "vitest";

import { judgeTwice, mockOf } from "../../test/judge-twice.ts";
import { patched, responses } from "../../test/mutants/mutated-responses.ts";
import { planted } from "../../test/mutants/mutant.ts";

test.each([
  [
    "omits only test_mode from responses with a live key has no sparse submissions",
    patched("submit", (_fields, { token }) =>
      token.startsWith("svc_test_") ? undefined : { test_mode: undefined },
    ),
    ["observed.sparseSubmit", "costs.1k"],
    { sparseSubmit: false },
  ],
  [
    "reports other credits than those of the pack for a test key shows no value",
    patched("purchase", { credits_added: 7 }),
    ["observed.testKeyCredits"],
    {},
  ],
  [
    "lacks the limit in its headers of the rate limit has these headers",
    responses((response) => {
      response.headers.delete("x-ratelimit-limit");
      return response;
    }),
    ["observed.rateHeaders"],
    { rateHeaders: "all" },
  ],
])("a deployment that %s", async (_, change, only, expected) => {
  const mock = mockOf({});
  onTestFinished(() => mock.close());
  const { run, seen } = await judgeTwice(mock, planted(mock, change), only);
  const option = only[0]?.replace("observed.", "") ?? "";
  expect([run, seen[option]]).toEqual([expected, Object.values(expected)[0]]);
});
