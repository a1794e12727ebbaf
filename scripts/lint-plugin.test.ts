import { join } from "node:path";

import { root } from "@tryon/test-kit/repository";
import { expect, it } from "vitest";

import plugin from "./lint-plugin.ts";

function findings(file: string, source: string): number {
  let count = 0;
  const report = (): void => void (count += 1);
  const rule = plugin.rules["no-import-outside-package"];
  rule
    .create({ filename: join(root, file), report })
    .ImportDeclaration({ source: { value: source } });
  return count;
}

it.each([
  ["packages/client/src/index.ts", "../../mock/src/index.ts"],
  ["packages/client/src/http/a.ts", "../../../../spec/openapi.json"],
  ["examples/express/src/server.test.ts", "../../shop-tests/shop-behaviour.ts"],
  ["docs/site/pages.ts", "../../scripts/a.ts"],
])("reports an import in %s of %s", (file, source) => {
  expect(findings(file, source)).toBe(1);
});

it.each([
  ["packages/client/src/http/a.ts", "../../package.json"],
  ["packages/client/src/http/a.ts", "@tryon/mock"],
  ["docs/site/pages.ts", "../contents.ts"],
  ["scripts/generate.ts", "../package.json"],
])("accepts an import in %s of %s", (file, source) => {
  expect(findings(file, source)).toBe(0);
});
