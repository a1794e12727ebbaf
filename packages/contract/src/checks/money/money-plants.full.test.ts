import { describe, expect, test } from "vitest";

import { moneyProbes } from "../../probes/money.ts";
import { broken, look } from "../../../test/looking.ts";
import { moneyPlants } from "../../../test/plants/money/index.ts";
import { moneyStatusPlants } from "../../../test/plants/money/statuses.ts";
import { moneyChecks } from "./index.ts";

const money = { checks: moneyChecks, probes: moneyProbes };

describe("a deployment that", () => {
  test.each([...moneyPlants, ...moneyStatusPlants])(
    "$name is found out, and nothing else of it",
    async ({ plant, expected }) => {
      const { ids, why } = broken(await look(money, {}, plant));
      expect(ids, why).toEqual(expected);
    },
  );
});
