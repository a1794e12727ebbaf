import { AppFolder, installing } from "@tryon/test-kit/app-folder";
import { afterAll, beforeAll, expect, test } from "vitest";

let example: AppFolder;

beforeAll(async () => {
  example = await AppFolder.copy("vitest");
}, installing);

afterAll(() => example.remove(), installing);

test("the copied example for vitest passes", { timeout: installing }, async () => {
  expect(await example.run("npm", ["test"])).toMatch(/Tests +6 passed/);
});
