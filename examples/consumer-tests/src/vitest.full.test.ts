import { afterAll, beforeAll, expect, test } from "vitest";

import { CopiedExample, installing } from "./copied-example.ts";

let example: CopiedExample;

beforeAll(async () => {
  example = await CopiedExample.install("vitest");
}, installing);

afterAll(() => example.remove(), installing);

test("the copied example for vitest passes", { timeout: installing }, async () => {
  expect(await example.run("npm", ["test"])).toMatch(/Tests +6 passed/);
});
