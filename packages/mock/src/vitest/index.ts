import { setupMock, type TestMock, type TestMockOptions } from "@tryon/mock/node";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";

export type { TestMock, TestMockOptions };

/**
 * Starts a reference server for the tests of a file or a `describe`, and resets it after each test. `setupMock` of
 * `@tryon/mock/node` does the same for jest and `node:test`.
 *
 * @throws TypeError for an unknown option, with the likely name, or an invalid value.
 * @example
 * ```ts
 * import { useMock } from "@tryon/mock/vitest";
 *
 * const mock = useMock({ clock: "manual" });
 *
 * test("an order is charged once", async () => {
 *   await mock.clock.runUntil(new TryOn().run(input));
 *   expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
 * });
 * ```
 */
export function useMock(options: TestMockOptions = {}): TestMock {
  return setupMock({ beforeAll, beforeEach, afterEach, afterAll }, options);
}
