import { createElement, type ReactNode } from "react";
import { renderToString } from "react-dom/server";
import { expect, expectTypeOf, test } from "vitest";

import { PageClient, TryOn } from "../index.ts";
import { useTryOn, type UseTryOn } from "./index.ts";

const render = (tryon: TryOn | PageClient, options: object): string => {
  const Look = (): ReactNode => useTryOn(tryon, options).status;
  return renderToString(createElement(Look));
};

test("is idle on a server, where a relative URL of the proxy has no meaning", () => {
  expect(render(new TryOn({ proxyUrl: "/api/tryon" }), {})).toBe("idle");
  expect(render(new PageClient({ baseUrl: "/api/tryon" }), {})).toBe("idle");
});

test("rejects an unknown option with the likely name", () => {
  const tryon = new TryOn({ proxyUrl: "/api/tryon" });
  expect(() => render(tryon, { nam: "shirt" })).toThrow(/nam is not an option.*name/);
});

test("tells the states apart by their status", () => {
  expectTypeOf<Extract<UseTryOn, { status: "succeeded" }>["image"]>().toEqualTypeOf<Blob>();
  expectTypeOf<Extract<UseTryOn, { status: "failed" }>["canResume"]>().toEqualTypeOf<boolean>();
  expectTypeOf<UseTryOn["reset"]>().toEqualTypeOf<() => Promise<void>>();
});
