import { createMock } from "@tryon/mock";
import { expect, test } from "vitest";

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

const inAllow = (expected: string, got: string, to = "HEAD /api/v1/account"): string =>
  `Expected ${expected} in Allow of the 405 to ${to}, got ${got}.`;
const toHead = (make: () => Response) => (method: string, response: Response) =>
  method === "HEAD" ? make() : response;

test.each<[string, ReturnType<typeof refusal>, string | undefined]>([
  ["a response without a body", (_method, response) => response, undefined],
  ["a 405 that allows GET", refusal("GET, POST"), undefined],
  ["no Allow", refusal(undefined), inAllow("GET", "no Allow")],
  ["an empty Allow", refusal(""), inAllow("GET", "an empty Allow, which allows no method")],
  ["an Allow without GET", refusal("POST"), inAllow("GET", "Allow: POST")],
  ["an Allow in lower case", refusal("get"), inAllow("GET", "Allow: get")],
  ["an Allow with HEAD", refusal("GET, HEAD"), inAllow("no HEAD", "Allow: GET, HEAD")],
  [
    "another status",
    toHead(() => new Response(null, { status: 404 })),
    "Expected 200 or 405 for HEAD /api/v1/account, got 404.",
  ],
  ["a body", toHead(() => new Response("four")), "The response to HEAD has a body of 4 bytes."],
])("the check of HEAD says what it found: %s", async (_name, change, message) => {
  expect(await check("urls.head", change)).toMatchObject({ status: "observed", message });
});

test("the check of HEAD has a request that curl ends without a body", async () => {
  const found = await check("urls.head", refusal("POST"));
  expect(found?.curl).toMatch(/^curl -I https:\S+\/api\/v1\/account -H /);
});

test.each([
  ["GET, HEAD, POST", "no GET", "GET /api/v1/credits/purchase"],
  ["GET", "POST", "PUT /api/v1/tryon"],
])("the check of wrong methods says what Allow: %s lacks or has", async (allow, what, to) => {
  const message = inAllow(what, `Allow: ${allow}`, to);
  const found = await check("urls.wrong-method", refusal(allow));
  expect(found).toMatchObject({ status: "observed", message });
});
