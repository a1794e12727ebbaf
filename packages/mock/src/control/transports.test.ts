import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { root } from "@tryon/test-kit/repository";
import { expect, test } from "vitest";

import { createMock } from "../mock.ts";
import type { FaultInput, FaultKind } from "./fault.ts";

const examples: Readonly<Record<FaultKind, FaultInput>> = {
  status: { on: "* *", status: 503 },
  latency: { on: "* *", latency: 1 },
  reset: { on: "* *", reset: "before" },
  truncateAt: { on: "* *", truncateAt: 1 },
  cutAfter: { on: "* *", cutAfter: 1 },
  drop: { on: "webhook", drop: true },
  "webhook reset": { on: "webhook", reset: "after" },
};

test("the table of faults and faces says what each face refuses", async () => {
  const page = join(root, "docs/faults.md");
  const [, table = ""] = (await readFile(page, "utf8")).split("## Which faults exist where");
  const said = [...table.matchAll(/^\| `([\w ]+)` +\|([^|]+)\|([^|]+)\|([^|]+)\|$/gm)].map(
    ([, kind, ...faces]) => [kind, ...faces.map((text) => text.trim() !== "no")],
  );
  const found = Object.entries(examples).map(([kind, example]) => {
    const free = createMock({ clock: "manual" });
    const { id } = free.faults.add(example);
    const limited = createMock({ clock: "manual" });
    limited.faults.limitTo("msw");
    const refused = ((): boolean => {
      try {
        limited.faults.add(example);
        return false;
      } catch {
        return true;
      }
    })();
    return [kind, id !== "", id !== "", !refused];
  });
  expect(said).toEqual(found);
});
