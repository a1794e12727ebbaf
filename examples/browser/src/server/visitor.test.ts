import { expect, test } from "vitest";

import { fairShare } from "./fair-share.ts";
import { newVisitor, visitorOf } from "./visitor.ts";

const secret = "a secret of the shop, for tests";
const cookieOf = (setCookie: string): string => setCookie.split(";")[0] ?? "";

test("a visitor is known by the cookie that was given, and is another one each time", () => {
  const [one, other] = [newVisitor(secret), newVisitor(secret)].map(cookieOf);
  const known = [one, other].map((cookie) => visitorOf(`theme=dark; ${cookie}`, secret));
  expect(new Set([...known, undefined]).size).toBe(3);
  expect(newVisitor(secret)).toMatch(/; HttpOnly; SameSite=Strict;/);
});

test("nobody is known by a cookie that is absent, made up, changed or another shop's", () => {
  const cookie = cookieOf(newVisitor(secret));
  const [user, proof] = cookie.replace("visitor=", "").split(".");
  for (const forged of [
    null,
    "",
    "visitor=",
    "visitor=.",
    `visitor=${user}`,
    `visitor=${user}.`,
    `visitor=somebody.${proof}`,
    `visitor=${user}.${proof}x`,
    `xvisitor=${user}.${proof}`,
    cookieOf(newVisitor("another secret")),
  ]) {
    expect(visitorOf(forged, secret)).toBeUndefined();
  }
});

test("a visitor may begin so many try-ons in an hour, and a retry is none", async () => {
  let now = 0;
  const limit = fairShare(2, () => now);
  const request = new Request("http://localhost");
  const ask = (idempotencyKey: string, user = "a") =>
    limit({ visitor: { user }, kind: "submit", idempotencyKey, request });
  expect([ask("1"), ask("1"), ask("2")]).toEqual([true, true, true]);
  now = 600_000;
  expect(ask("3")).toEqual({ retryAfter: 3_000 });
  expect([ask("2"), ask("3", "b")]).toEqual([true, true]);
  expect(limit({ visitor: { user: "a" }, kind: "get", request })).toBe(true);
  now = 3_600_000;
  expect(ask("3")).toBe(true);
});

test("a visitor who has sent nothing for an hour may no longer repeat what is forgotten", () => {
  let now = 0;
  const limit = fairShare(1, () => now);
  const request = new Request("http://localhost");
  const ask = (idempotencyKey: string) =>
    limit({ visitor: { user: "a" }, kind: "submit", idempotencyKey, request });
  expect(ask("1")).toBe(true);
  now = 3_600_000;
  // The service has maybe forgotten the key, too, and makes another job for it.
  expect([ask("1"), ask("2")]).toEqual([true, { retryAfter: 3_600 }]);
});
