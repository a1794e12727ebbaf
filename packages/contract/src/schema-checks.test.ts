import { createMock } from "@tryon/mock";
import { expect, test } from "vitest";

import { runContract } from "./contract.ts";

test("checks responses below a base URL with a path against the document", async () => {
  const mock = createMock({ clock: "manual" });
  const { checks } = await runContract({
    baseUrl: `${mock.baseUrl}/tryon`,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const response = await mock.fetch(new Request(request.url.replace("/tryon/", "/"), request));
      if (!request.url.endsWith("/account") || response.status !== 200) return response;
      return Response.json({ ...(await response.json()), total_calls: "many" });
    },
    only: ["authentication.missing-key", "account."],
  });
  expect(checks.find(({ id }) => id === "responses.GET /api/v1/account.200")).toMatchObject({
    status: "failed",
    message: expect.stringContaining("total_calls"),
  });
});
