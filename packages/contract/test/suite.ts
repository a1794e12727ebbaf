import type { Check, Probe } from "../src/check.ts";
import type { Suite } from "../src/run.ts";
import { must, SkipCheck } from "../src/outcome.ts";

const plain = { rules: ["a.rule"], level: "safe", on: "any", credits: 0 } as const;

export function aCheck(id: string, run: Check["run"], more: Partial<Check> = {}): Check {
  return { ...plain, id, title: `The title of ${id}`, run, ...more };
}

export const keeps = aCheck("sample.keeps", async ({ http }) => {
  await http.account();
});

export const breaks = aCheck("sample.breaks", async ({ http, keys }) => {
  const response = await http.account();
  must(false, `It was wrong with ${keys.own.token}.`, response);
});

export const skips = aCheck("sample.skips", () => {
  throw new SkipCheck("It takes the moon (--moon).");
});

export function aProbe(option: string, provoke: Probe["provoke"]): Probe {
  return { ...plain, id: `observe.${option}`, title: `How it has ${option}`, option, provoke };
}

export function aSuite(checks: readonly Check[], probes: readonly Probe[] = []): Suite {
  return { checks, probes };
}
