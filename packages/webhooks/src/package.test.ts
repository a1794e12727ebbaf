import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("has no dependencies", () => {
  const file = new URL("../package.json", import.meta.url);
  const manifest: unknown = JSON.parse(readFileSync(file, "utf8"));
  for (const kind of ["dependencies", "peerDependencies", "optionalDependencies"]) {
    expect(manifest).not.toHaveProperty(kind);
  }
});
