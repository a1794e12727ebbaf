import { createMock } from "@tryon/mock";
import { expect, test } from "vitest";

import { runContract } from "./contract.ts";
import { chosenMutants } from "../test/mutants/chosen.ts";

// That each of them is reported for that alone, by the whole kit, is what the full set shows.
test.each(chosenMutants.map((plant) => [plant.name, plant] as const))(
  "a deployment that %s is found out",
  async (_name, { plant, expected }) => {
    const mock = createMock({ clock: "manual", seed: "bites" });
    const { checks } = await runContract({
      baseUrl: mock.baseUrl,
      fetch: plant(mock),
      level: "full",
      only: expected,
    });
    mock.close();
    const broken = checks.filter(({ status }) => status === "failed").map(({ id }) => id);
    expect(broken).toEqual(expect.arrayContaining([...expected]));
  },
);
