import { describe, expect, it } from "vitest";

import { scenarios } from "./scenarios.ts";
import type { ScenarioResult } from "./run-scenarios.ts";
import { runtimesPage } from "./page.ts";
import type { Row } from "./rows.ts";

const row: Row = {
  title: "Chromium, Vite",
  engine: "chromium",
  kind: "page",
  perform: () => Promise.reject(new Error("It is not run here.")),
};

/** Page on which these programs of a row fail. */
function pageWithout(...programs: readonly string[]): string {
  const findings = new Map(
    scenarios.map((scenario): [typeof scenario, ScenarioResult] => [
      scenario,
      programs.includes(scenario.program) ? { works: false, why: "It gave 1." } : { works: true },
    ]),
  );
  return runtimesPage([{ row, findings }], new Map([["chromium", "150.0"]]));
}

describe("the page of the runtimes", () => {
  it("says of a row in which all works nothing but that", () => {
    const page = pageWithout();
    expect(page).toContain("| Chromium 150.0, Vite | ✓ | ✓ | ✓ | ✓ | ✓ | ✓ |\n");
    expect(page).not.toContain("\n1. ");
  });

  it("lists known failures with their notes", () => {
    const page = pageWithout("journal", "contract");
    expect(page).toContain("| Chromium 150.0, Vite | ✓ | ✓ 1 | ✓ | ✓ | ✓ | – 2 |\n");
    expect(page).toMatch(/\n1\. `batch` works\. .*\n2\. `@tryon\/contract` needs/);
  });

  it("reports unknown failures as broken", () => {
    const page = pageWithout("verify");
    expect(page).toContain("| Chromium 150.0, Vite | ✓ | ✓ | ✓ | ✓ 1 | ✓ | ✓ |\n");
    expect(page).toContain("\n1. **Broken.**\n");
  });
});
