import type { TestProject } from "vitest/node";

import { install, remove, type Installation } from "./installation.ts";

declare module "vitest" {
  interface ProvidedContext {
    readonly installation: Installation;
  }
}

/** Creates the folders before the first test, and removes them after the last. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const installation = await install();
  project.provide("installation", installation);
  return () => remove(installation);
}
