import { AppFolder, installing } from "@tryon/test-kit/app-folder";
import { onTestFinished } from "vitest";

/** Arguments of `npx` that run a command of an example beside its installed reference server. */
export const beside = ["tryon-mock", "exec", "--latency", "0", "--"] as const;

/** Installs an example for one test. */
export async function copied(name: string): Promise<AppFolder> {
  const example = await AppFolder.copy(name);
  onTestFinished(() => example.remove(), installing);
  return example;
}
