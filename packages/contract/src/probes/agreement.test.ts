import { onTestFinished, expect, test } from "vitest";

import { fieldsIn, isSubmit, rewritten, tampered } from "../../test/mutants/mutated-responses.ts";
import { judgeTwice, mockOf } from "../../test/judge-twice.ts";

test("a deployment that omits only test_mode from responses with a live key has no sparse submissions", async () => {
  const mock = mockOf({});
  onTestFinished(() => mock.close());
  const fetch = tampered(mock, async (request) => {
    const response = await request.send();
    return isSubmit(request) && !request.token.startsWith("svc_test_") && response.ok
      ? rewritten(response, { fields: { test_mode: undefined } })
      : response;
  });
  const { run, seen } = await judgeTwice(mock, fetch, ["observed.sparseSubmit", "costs.1k"]);
  expect([run["sparseSubmit"], seen["sparseSubmit"]]).toEqual([false, false]);
});

test("a purchase with a test key that reports other credits than those of the pack shows no value", async () => {
  const mock = mockOf({});
  onTestFinished(() => mock.close());
  const fetch = tampered(mock, async (request) => {
    const response = await request.send();
    const { credits_added } = request.path.endsWith("/purchase") ? await fieldsIn(response) : {};
    return credits_added === undefined
      ? response
      : rewritten(response, { fields: { credits_added: 7 } });
  });
  const { run, seen } = await judgeTwice(mock, fetch, ["observed.testKeyCredits"]);
  expect([run, seen["testKeyCredits"]]).toEqual([{}, undefined]);
});

test("a deployment whose headers of the rate limit lack the limit has these headers", async () => {
  const mock = mockOf({});
  onTestFinished(() => mock.close());
  const fetch = tampered(mock, async ({ send }) => {
    const response = await send();
    response.headers.delete("x-ratelimit-limit");
    return response;
  });
  const { run, seen } = await judgeTwice(mock, fetch, ["observed.rateHeaders"]);
  expect([run["rateHeaders"], seen["rateHeaders"]]).toEqual(["all", "all"]);
});
