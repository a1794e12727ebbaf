import { AppFolder, installing } from "@tryon/test-kit/app-folder";
import { packedPackages } from "@tryon/test-kit/packages";
import { node } from "@tryon/test-kit/repository";
import { afterAll, beforeAll, expect, test } from "vitest";

let app: AppFolder;

beforeAll(async () => {
  const { client, mock } = await packedPackages();
  app = await AppFolder.with("runners", client, mock, "jest@30.5.2", "vitest@5.1.0");
}, installing);

afterAll(() => app.remove(), installing);

const tests = `
const tryon = new TryOn();
const input = {
  person: "https://shop.example/me.jpg",
  garments: ["https://shop.example/shirt.png"],
};
const balance = async () => (await tryon.account.get()).credits_remaining;

test("awaits", async () => void (await mock.clock.runUntil(tryon.run(input))));
test("leaves", async () => void (await tryon.submit(input)));
test("counts", async () => {
  if ((await balance()) !== 1000) throw new Error("not reset");
});
test("moves", async () => {
  if (tryon.clock !== mock.clock) throw new Error("another clock");
});
`;
const options = `{ clock: "manual", unawaitedJobs: "error" }`;
const required = `
const { TryOn } = require("@tryon/client");
const { setupMock } = require("@tryon/mock/node");
`;

test.each([
  [
    "vitest",
    "useMock.test.mjs",
    `import { TryOn } from "@tryon/client";
    import { useMock } from "@tryon/mock/vitest";
    import { test } from "vitest";
    const mock = useMock(${options});`,
    ["node_modules/vitest/vitest.mjs", "run", "--reporter=tap-flat"],
    /^not ok .*leaves/gm,
    /^ok /gm,
  ],
  [
    "jest",
    "setupMock.jest.cjs",
    `${required}
    const mock = setupMock({ beforeAll, beforeEach, afterEach, afterAll }, ${options});`,
    ["node_modules/jest/bin/jest.js", "--testMatch=**/*.jest.cjs", "--verbose"],
    /✕ leaves/g,
    /✓ /g,
  ],
  [
    "node:test",
    "setupMock.node.cjs",
    `${required}
    const { after, afterEach, before, beforeEach, test } = require("node:test");
    const mock = setupMock({ beforeAll: before, beforeEach, afterEach, afterAll: after }, ${options});`,
    ["--test", "--test-reporter=tap", "setupMock.node.cjs"],
    /^not ok \d+ - leaves/gm,
    /^ok /gm,
  ],
])("resets the mock and fails a test that leaves a job, in %s", async (...row) => {
  const [, file, header, args, failed, passed] = row;
  await app.write(file, header + tests);
  const program = app.start(node, args, { CI: undefined });
  const { code } = await program.ended;
  expect(code, program.text).toBe(1);
  expect(program.text.match(failed), program.text).toHaveLength(1);
  expect(program.text.match(passed), program.text).toHaveLength(3);
  expect(program.text).toMatch(/1 paid try-on: job_\w+\. Await run\(\)/);
});
