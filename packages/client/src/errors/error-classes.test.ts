import { createMock } from "@tryon/mock";
import { expect, it, onTestFinished, vi } from "vitest";

import * as first from "../index.ts";

vi.resetModules();
/** Another copy of the package, as in an app that imports and requires it. */
const other = await import("../index.ts");

const input = { person: "me.jpg", garments: ["https://shop.example/a.png"] };

/** Classes of errors that a copy exports, by their names. */
const classesOf = (copy: object) =>
  // Each name belongs to a class.
  Object.entries(copy).filter(([name]) => name.endsWith("Error") && name !== "isTryOnError") as [
    string,
    typeof Error,
  ][];

async function errorOf(fault: object | undefined): Promise<unknown> {
  const mock = createMock({ latency: 0 });
  onTestFinished(() => mock.close());
  const { baseUrl, fetch } = mock;
  const tryon = new other.TryOn({ apiKey: mock.keys.live, baseUrl, fetch, retries: 0 });
  if (fault) mock.faults.add({ on: "* *", ...fault });
  const call = fault ? tryon.account.get() : tryon.submit(input);
  return call.catch((error: unknown) => error);
}

it.each([
  [400, "BadRequestError"],
  [401, "AuthenticationError"],
  [402, "InsufficientCreditsError"],
  [403, "PermissionDeniedError"],
  [404, "NotFoundError"],
  [413, "PayloadTooLargeError"],
  [422, "UnprocessableEntityError"],
  [429, "RateLimitError"],
  [500, "InternalServerError"],
  [503, "InternalServerError"],
])("finds a %i of another copy of the package by instanceof %s", async (status, name) => {
  const error = await errorOf({ status, retryAfter: 90 });
  const found = classesOf(first).filter(([, Class]) => error instanceof Class);
  expect(found.map(([one]) => one).toSorted()).toEqual(["ApiError", "TryOnError", name].toSorted());
});

it("finds other errors of another copy by their class, and nothing else", async () => {
  expect(await errorOf({ reset: "before" })).toBeInstanceOf(first.ConnectionError);
  const conflict = new other.ApiError("idempotency_conflict", "No.");
  expect(conflict).toBeInstanceOf(first.ConflictError);
  expect(new other.ApiError("too_many_refusals", "No.")).toBeInstanceOf(first.TooManyRefusalsError);
  const refused = await errorOf(undefined);
  expect(refused).toBeInstanceOf(first.InputError);
  expect(refused).not.toBeInstanceOf(first.ConfigError);
  for (const [name, Class] of classesOf(first)) {
    expect(Object.fromEntries(classesOf(other))[name]).not.toBe(Class);
    for (const value of [
      undefined,
      null,
      "not_found",
      new Error("not_found"),
      { code: "not_found" },
    ])
      expect(value).not.toBeInstanceOf(Class);
  }
});

it("finds only its own errors with the subclass of an app", () => {
  class ShopError extends first.TryOnError {}
  const error = new ShopError("not_found", "No.");
  expect(error).toBeInstanceOf(ShopError);
  expect(error).toBeInstanceOf(first.NotFoundError);
  expect(new first.TryOnError("not_found", "No.")).not.toBeInstanceOf(ShopError);
});
