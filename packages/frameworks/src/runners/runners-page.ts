import { readFileSync } from "node:fs";
import { join } from "node:path";

import { lineOf } from "../page.ts";
import { works } from "../result.ts";
import results from "./results.json" with { type: "json" };
import type { TimedResult } from "./run-runner.ts";
import { runners, type Runner } from "./runners.ts";

export const command = "npm run runners";

/** Page for users, from the results of the last run of all runners. */
export function runnersPage(): string {
  const lines = runners.map((runner) => {
    const { versions = {}, outcomes = {}, seconds } = resultOf(runner) ?? {};
    const isFine = Object.values(outcomes).every((outcome) => outcome === works);
    const version = Object.values(versions).join(", ");
    const text = [runner.note, runner.trap].filter((it) => it !== undefined).join(" ");
    return lineOf([runner.title, version, isFine ? "✓" : "–", `${seconds} s`, text]);
  });
  const body = readFileSync(join(import.meta.dirname, "../apps/runners/typical.js"), "utf8");
  const count = body.match(/^test\(/gm)?.length;
  return [
    `<!-- Made by \`${command}\` and \`npm run generate\`. Changes made here are lost. -->`,
    "# Test runners and tools",
    "<!-- keywords: vitest, jest, ts-jest, swc, mocha, sinon, node:test, bun test, deno test, jsdom, happy-dom, edge-runtime, MSW, nock, undici, OpenTelemetry, Sentry, Datadog, zone.js -->",
    `The same ${count} tests run in each runner, with its newest version and the packages as they are published. The last run of all runners was on ${results.date}. The time is that of the whole command.`,
    [
      lineOf(["runner", "version", "works", "time", "what you need to know"]),
      lineOf(["---", "---", ":-:", "--:", "---"]),
      ...lines,
    ].join("\n"),
    "Each test runs against the [reference server](../packages/mock/README.md) over HTTP. The first lines of the file import `test` and the hooks of the runner. A second run has a wrong expectation, which the runner has to report.",
    `\`\`\`js typical.test.js example\n${body}\`\`\``,
    "[Test your app](guides/test-your-app.md) has more: the mock in process, fake timers, and code with a fixed URL.",
  ]
    .join("\n\n")
    .concat("\n");
}

export function resultOf({ id }: Runner): TimedResult | undefined {
  return (results.rows as Readonly<Record<string, TimedResult | undefined>>)[id];
}
