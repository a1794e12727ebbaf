import { createMock } from "@tryon/mock";
import { tenth } from "@tryon/test-kit/cases";
import { describe, expect, test } from "vitest";

import { png } from "./images.ts";
import { foundIds, failures, runAgainst } from "../test/run-checks.ts";
import { chosenMutants } from "../test/mutants/index.ts";

/** Draws plain images of the right size, which no check reads further. */
const engine = {
  name: "plain",
  render: async ({ width, height }: { readonly width: number; readonly height: number }) =>
    new Uint8Array(png(width, height, [90, 120, 150])),
};

/** Timeout for several concurrent runs on a slow machine, in milliseconds. */
const timeout = 180_000;

// Each run waits for the network, so concurrent runs take less time.
describe.concurrent("the whole kit", () => {
  test.each(tenth(chosenMutants))(
    "finds only $expected for a server that $name",
    async ({ plant, expected }) => {
      const mock = createMock({ clock: "manual", seed: "plants", engine });
      try {
        const report = await runAgainst(mock, [], plant(mock));
        expect(foundIds(report), failures(report)).toEqual([...expected].toSorted());
      } finally {
        mock.close();
      }
    },
    timeout,
  );
});
