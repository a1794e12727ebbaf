import { createMock } from "@tryon/mock";
import { describe, expect, test } from "vitest";

import { runContract } from "./contract.ts";
import { allPlants } from "./testing/plants/index.ts";

describe("a deployment that", () => {
  test.each(allPlants.map((plant) => [plant.name, plant] as const))(
    "%s is reported for that alone",
    async (_name, { plant, expected }) => {
      const mock = createMock({ clock: "manual", seed: "plants" });
      const { checks } = await runContract({
        baseUrl: mock.baseUrl,
        fetch: plant(mock),
        level: "full",
      });
      const broken = checks.filter(({ status }) => status === "broken");
      expect(broken.map(({ id, message }) => `${id}: ${message}`)).toEqual(
        expected.map((id) => expect.stringContaining(`${id}: `)),
      );
    },
  );
});
