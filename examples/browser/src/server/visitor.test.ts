import { expect, test } from "vitest";

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
