import { cases } from "@tryon/test-kit/cases";
import { expect, it } from "vitest";

import { safeVerify } from "../../src/index.ts";
import { checkOutcomes, verifySync, type PropertyOptions } from "./property.ts";

it.each<[string, number, PropertyOptions]>([
  ["with node:crypto", 1_000_000, { verify: verifySync }],
  ["with both back ends", 100_000, { verify: safeVerify, other: verifySync }],
  ["with unread bodies", 100_000, { verify: safeVerify, streams: true }],
])(
  "verifies many changed deliveries as the oracle does, %s",
  { timeout: 1_200_000 },
  async (_name, count, options) => {
    expect(await checkOutcomes(cases(count), options)).toEqual([]);
  },
);
