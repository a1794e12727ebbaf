import { expect, it } from "vitest";

import { createShop } from "./create-shop.ts";

const settings = { apiKey: "svc_test_shop", baseUrl: "http://127.0.0.1:9", pages: "." };
const shopWith = (secret: string) => createShop({ ...settings, secret });
const shop = shopWith("secret of this shop, 32 characters");

async function visit(from = shop): Promise<string> {
  const response = await from.request("/api/visitor", { method: "POST" });
  const header = response.headers.get("set-cookie") ?? "";
  expect(header).toMatch(/; HttpOnly; SameSite=Strict/);
  return header.split(";")[0] ?? "";
}

async function status(cookie: string): Promise<number> {
  const url = "http://localhost/api/tryon/api/v1/tryon/job_1";
  return (await shop.request(url, { headers: { cookie } })).status;
}

it("authorizes only visitors with a cookie that this shop has signed", async () => {
  const [first, second] = [await visit(), await visit()];
  expect(first).not.toBe(second);
  // The user is authorized, but the id does not belong to this user.
  expect(await status(`theme=dark; ${first}`)).toBe(404);
  const [, id = "", signature = ""] = /^visitor=([^.]+)\.(.+)$/.exec(first) ?? [];
  const other = await visit(shopWith("another secret, also 32 characters"));
  for (const cookie of ["", `visitor=${id}`, `visitor=another.${signature}`, `x${first}`, other]) {
    expect(await status(cookie), cookie).toBe(401);
  }
});
