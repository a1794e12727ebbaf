import { expect, it } from "vitest";

import { crashPoints, runCrashScenario } from "../../test/crash-scenario.ts";
import { temporaryFolder } from "../../test/journal-folder.ts";

const points = Object.values(crashPoints).flat();
const items = points.flatMap((crashPoint) => [
  { id: crashPoint, crashPoint, isLarge: crashPoint === "during the upload" },
  { id: `free, ${crashPoint}` },
]);
/** Crash points after which the list has no job that a later run could find. */
const lost = ["during the upload", "after the upload, request lost"];

it.each([true, false])(
  "pays for each item of a killed batch once, although each restart has another API key, with recoveryKeys: %s",
  async (rotatesWithKeys) => {
    const cache = await temporaryFolder();
    const outcome = await runCrashScenario({ items, concurrency: 1, rotatesWithKeys }, cache);
    const { violations, ended, charges, kills } = outcome;
    expect(violations).toEqual([]);
    expect(kills).toHaveLength(points.length);
    expect([...charges].filter(([, count]) => count !== 1)).toEqual([]);
    const failed = [...ended].filter(([, code]) => code !== "succeeded");
    expect(failed.map(([, code]) => code)).toEqual(failed.map(() => "outcome_unknown"));
    const open = points.filter((point) => !crashPoints.before.some((one) => one === point));
    const expected = rotatesWithKeys ? lost : [...open, "before the POST"];
    expect(
      failed
        .map(([id]) => id)
        .filter((id) => id !== "before the POST")
        .toSorted(),
    ).toEqual(expected.filter((id) => id !== "before the POST").toSorted());
    const paid = [...ended].filter(([, code]) => code === "succeeded");
    expect(paid.filter(([id]) => !charges.has(id))).toEqual([]);
  },
);
