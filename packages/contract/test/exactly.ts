import { createMock } from "@tryon/mock";
import { describe, expect, test } from "vitest";

import { runContract } from "../src/contract.ts";
import { png } from "../src/images.ts";
import type { Mutant } from "./mutants/mutant.ts";

/** Makes images of the right size that are quickly made; what they show matters to no check. */
const engine = {
  name: "plain",
  render: async ({ width, height }: { readonly width: number; readonly height: number }) =>
    new Uint8Array(png(width, height, [90, 120, 150])),
};

/** How long one run may take on a busy machine, in milliseconds, when several go on at once. */
const patience = 180_000;

/** Tests that the whole kit finds each deviation, by its name, and nothing else. */
export function findsExactly(plants: readonly Mutant[]): void {
  // Each run waits now and then for the network, so several at once take less time than one after another.
  describe.concurrent("a deployment that", () => {
    test.each(plants.map((plant) => [plant.name, plant] as const))(
      "%s is reported for that alone",
      async (_name, { plant, expected }) => {
        const mock = createMock({ clock: "manual", seed: "plants", engine });
        try {
          const { checks } = await runContract({
            baseUrl: mock.baseUrl,
            fetch: plant(mock),
            level: "full",
          });
          const broken = checks.filter(({ status }) => status === "failed");
          const why = broken.map(({ id, message }) => `${id}: ${message}`).join("\n");
          expect(broken.map(({ id }) => id).toSorted(), why).toEqual([...expected].toSorted());
        } finally {
          mock.close();
        }
      },
      patience,
    );
  });
}
