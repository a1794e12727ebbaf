import { rejectUnknownNames } from "@tryon/command-line/known-names";
import { createMock, type Mock, type MockOptions } from "@tryon/mock";

import { mockOptionNames } from "../mock-interface.ts";
import { show } from "../shown.ts";
import type { Duration } from "../system/duration.ts";
import { nodeNetwork } from "./network.ts";

/** Options of `useMock` and `setupMock`. */
export interface TestMockOptions extends Omit<MockOptions, "baseUrl"> {
  /**
   * Duration of one try-on.
   * @default 0
   */
  latency?: Duration;
  /**
   * If "error", fails a test at whose end a paid try-on is still in progress, or has ended without the app reading its
   * status. Try-ons with a `webhook_url` do not count.
   * @default "ignore"
   */
  unawaitedJobs?: "error" | "ignore";
}

const optionNames = [...mockOptionNames.filter((name) => name !== "baseUrl"), "unawaitedJobs"];

/** @throws TypeError for an unknown option, with the likely name, or RangeError for a value out of bounds. */
export function createTestMock({ unawaitedJobs, ...options }: TestMockOptions): Mock {
  rejectUnknownNames(options, optionNames, "Unknown option", "the options of useMock are");
  if (!["error", "ignore", undefined].includes(unawaitedJobs)) {
    const got = show(unawaitedJobs);
    throw new RangeError(`unawaitedJobs has to be "error" or "ignore"; got ${got}.`);
  }
  return createMock({ network: nodeNetwork(), ...options, latency: options.latency ?? 0 });
}
