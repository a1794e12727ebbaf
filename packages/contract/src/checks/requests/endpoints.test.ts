import { createMock } from "@tryon/mock";
import { describe, expect, test } from "vitest";

import { runContract } from "../../contract.ts";

async function check(id: string, change: (method: string, response: Response) => Response) {
  const { baseUrl, fetch } = createMock({ clock: "manual" });
  const { checks } = await runContract({
    baseUrl,
    only: [id],
    fetch: async (input, init) => change(init?.method ?? "GET", await fetch(input, init)),
  });
  return checks.find((one) => one.id === id);
}

const refusal = (allow: string | undefined) => (method: string, response: Response) =>
  method === "HEAD" || response.status === 405
    ? new Response(null, { status: 405, headers: allow === undefined ? {} : { allow } })
    : response;

describe("the check of HEAD", () => {
  test.each([
    ["a response without a body", (_method: string, response: Response) => response, undefined],
    ["a 405 that allows GET", refusal("GET, POST"), undefined],
    [
      "no Allow",
      refusal(undefined),
      "Expected GET in Allow of the 405 to HEAD /api/v1/account, got no Allow.",
    ],
    [
      "an empty Allow",
      refusal(""),
      "Expected GET in Allow of the 405 to HEAD /api/v1/account, got an empty Allow, which allows no method.",
    ],
    [
      "an Allow without GET",
      refusal("POST"),
      "Expected GET in Allow of the 405 to HEAD /api/v1/account, got Allow: POST.",
    ],
    [
      "an Allow in lower case",
      refusal("get"),
      "Expected GET in Allow of the 405 to HEAD /api/v1/account, got Allow: get.",
    ],
    [
      "an Allow with HEAD",
      refusal("GET, HEAD"),
      "Expected no HEAD in Allow of the 405 to HEAD /api/v1/account, got Allow: GET, HEAD.",
    ],
    [
      "another status",
      (method: string, response: Response) =>
        method === "HEAD" ? new Response(null, { status: 404 }) : response,
      "Expected 200 or 405 for HEAD /api/v1/account, got 404.",
    ],
    [
      "a body",
      (method: string, response: Response) => (method === "HEAD" ? new Response("four") : response),
      "The response to HEAD has a body of 4 bytes.",
    ],
  ])("says what it found: %s", async (_name, change, message) => {
    expect(await check("urls.head", change)).toMatchObject({ status: "observed", message });
  });

  test("has a request that curl ends without a body", async () => {
    const found = await check("urls.head", refusal("POST"));
    expect(found?.curl).toMatch(/^curl -I https:\S+\/api\/v1\/account -H /);
  });
});

test.each([
  [
    "GET, HEAD, POST",
    "Expected no GET in Allow of the 405 to GET /api/v1/credits/purchase, got Allow: GET, HEAD, POST.",
  ],
  ["GET", "Expected POST in Allow of the 405 to PUT /api/v1/tryon, got Allow: GET."],
])("the check of wrong methods says what Allow: %s lacks or has", async (allow, message) => {
  const found = await check("urls.wrong-method", refusal(allow));
  expect(found).toMatchObject({ status: "observed", message });
});
