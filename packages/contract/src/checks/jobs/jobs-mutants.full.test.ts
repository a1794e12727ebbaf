import { createMock } from "@tryon/mock";
import { expect, test } from "vitest";

import { runContract } from "../../contract.ts";
import { jobProbes } from "../../probes/jobs.ts";
import { jobMutants } from "../../../test/mutants/jobs/index.ts";
import { jobChecks } from "./index.ts";

const only = [...jobChecks, ...jobProbes].map(({ id }) => id);

test.each(jobMutants.map((deviation) => [deviation.name, deviation] as const))(
  "a deployment that %s is reported for that alone",
  async (_name, { plant, expected }) => {
    const mock = createMock({ clock: "manual" });
    const { checks } = await runContract({
      baseUrl: mock.baseUrl,
      fetch: plant(mock),
      level: "full",
      only,
    });
    const broken = checks.filter(({ status }) => status === "failed");
    expect(broken.map(({ id }) => id)).toEqual(expected);
  },
);
