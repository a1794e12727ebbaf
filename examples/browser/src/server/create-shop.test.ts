import { expect, it } from "vitest";

import { createShop } from "./create-shop.ts";

const shopWith = (secret: string) =>
  createShop({ apiKey: "svc_test_shop", baseUrl: "http://127.0.0.1:9", secret });
const shop = shopWith("secret of this shop, 32 characters");

async function visit(from = shop, cookie = ""): Promise<string> {
  const response = await from.request("/api/visitor", { method: "POST", headers: { cookie } });
  expect(response.status).toBe(204);
  return response.headers.get("set-cookie") ?? "";
}

async function statusWith(cookie: string): Promise<number> {
  const url = "http://localhost/api/tryon/api/v1/tryon/job_1";
  return (await shop.request(url, { headers: { cookie } })).status;
}

it("gives each visitor a different cookie once, and authorizes its requests", async () => {
  const cookies = [await visit(), await visit()];
  expect(cookies[0]).toMatch(/; HttpOnly; SameSite=Strict/);
  const [first = "", second = ""] = cookies.map((cookie) => cookie.split(";")[0] ?? "");
  expect(first).not.toBe(second);
  expect(await visit(shop, first)).toBe("");
  // The user is authorized, but the id does not belong to this user.
  expect(await statusWith(`theme=dark; ${first}`)).toBe(404);
});

it("rejects requests without a cookie that this shop has signed", async () => {
  const [cookie = ""] = (await visit()).split(";");
  const [, id, signature] = /^visitor=([^.]+)\.(.+)$/.exec(cookie) ?? [];
  expect(id).toBeDefined();
  const [otherShop = ""] = (await visit(shopWith("another secret, also 32 characters"))).split(";");
  for (const forged of [
    "",
    "visitor=",
    "visitor=.",
    `visitor=${id}`,
    `visitor=${id}.`,
    `visitor=another.${signature}`,
    `visitor=${id}.x${signature}`,
    `x${cookie}`,
    otherShop,
  ]) {
    expect(await statusWith(forged), forged).toBe(401);
  }
});
