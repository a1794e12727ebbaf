import { readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "@tryon/test-kit/repository";
import { expect, test } from "vitest";

const read = (path: string): string => readFileSync(join(root, path), "utf8");

test("the README has the numbers of rules and of points that the kit observes", () => {
  // The schema of the file has checked its form.
  const { rules } = JSON.parse(read("spec/rules.json")) as { rules: { shown_by: string[] }[] };
  const implemented = rules.filter(({ shown_by }) => shown_by.includes("server")).length;
  const { options } = JSON.parse(read("spec/options.json")) as { options: object[] };
  const points = options.filter((option) => !("notObservable" in option));
  expect(read("README.md")).toContain(`implements ${implemented} rules`);
  expect(read("README.md")).toContain(`one of ${points.length} points open`);
});
