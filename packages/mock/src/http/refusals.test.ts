import { describe, expect, test } from "vitest";

import { caller, manualServer } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";
import { endpoints } from "../../test/endpoints.ts";

describe.each(endpoints)("$method $path", ({ method, path }) => {
  test("can respond with 401, 403 and 429", async () => {
    covers("endpoints.statuses.anywhere");
    const { mock } = manualServer();
    const { token } = await mock.createKey({ rateLimitPerMinute: 1 });
    await caller(mock, token).account();
    const statuses = [];
    for (const key of [null, mock.keys.disabled, token]) {
      statuses.push((await caller(mock, key).call(path, { method })).status);
    }
    expect(statuses).toEqual([401, 403, 429]);
  });

  test("responds with 500 and 503 by faults, and as usual afterwards", async () => {
    covers("errors.503.back-off");
    const { mock, call } = manualServer();
    const usual = (await call.call(path, { method })).status;
    for (const status of [500, 503]) mock.faults.add({ on: `${method} ${path}`, times: 1, status });
    for (const status of [500, 503, usual]) {
      const response = await call.call(path, { method });
      expect(response.status).toBe(status);
      if (status === usual) continue;
      expect(response.body).toEqual({ detail: response.detail });
      expect(response.detail).toMatch(/\w+ \w+/);
    }
  });
});
