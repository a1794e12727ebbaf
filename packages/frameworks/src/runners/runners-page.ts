import { readFileSync } from "node:fs";
import { join } from "node:path";

import { pageOf, tableOf } from "@tryon/test-kit/markdown";

import { resultIn, works } from "../row.ts";
import results from "./results.json" with { type: "json" };
import type { TimedResult } from "./run-runner.ts";
import { runners } from "./runners.ts";

/** Page for users, from the results of the last run of all runners. */
export function runnersPage(): string {
  const rows = runners.map((runner) => {
    const { versions = {}, outcomes = {}, seconds } = resultIn<TimedResult>(results, runner);
    const isFine = Object.values(outcomes).every((outcome) => outcome === works);
    const version = Object.values(versions).join(", ");
    const texts = [...Object.values(runner.notes ?? {}), runner.trap ?? ""].join(" ");
    return [runner.title, version, isFine ? "✓" : "–", `${seconds} s`, texts];
  });
  const headings = {
    runner: "---",
    version: "---",
    works: ":-:",
    time: "--:",
    "what you need to know": "---",
  };
  const body = readFileSync(join(import.meta.dirname, "../apps/runners/typical.js"), "utf8");
  const count = body.match(/^test\(/gm)?.length;
  return pageOf(
    ["npm run runners", "npm run generate"],
    "# Test runners and tools",
    "<!-- keywords: vitest, jest, ts-jest, swc, mocha, sinon, node:test, bun test, deno test, jsdom, happy-dom, edge-runtime, MSW, nock, undici, OpenTelemetry, Sentry, Datadog, zone.js -->",
    `The same ${count} tests run in each runner, with its newest version and the packages as they are published. The last run of all runners was on ${results.date}. The time is that of the whole command.`,
    tableOf(headings, rows),
    "Each test runs against the [reference server](../packages/mock/README.md) over HTTP. The first lines of the file import `test` and the hooks of the runner. A second run has a wrong expectation, which the runner has to report.",
    `\`\`\`js typical.test.js example\n${body}\`\`\``,
    "[Test your app](guides/test-your-app.md) has more: the mock in process, fake timers, and code with a fixed URL.",
  );
}
