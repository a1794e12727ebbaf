import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { installedEngines, startEngine, type Browser, type Engine } from "@tryon/test-kit/browsers";
import { root } from "@tryon/test-kit/repository";
import { scenarios, type Scenario } from "./scenarios.ts";
import { find, type ScenarioResult } from "./run-scenarios.ts";
import { knownFailureOf } from "./known-failures.ts";
import { command, runtimesPage } from "./page.ts";
import { startReferenceServer, type ReferenceServer } from "./reference-server.ts";
import { engineTitles, rowsOf, type Row } from "./rows.ts";
import { workerVersions } from "./worker.ts";

/** Time limit on a busy machine. */
const timeout = 600_000;

const installation = inject("installation");
const engines = await installedEngines();
const starting = new Map<Engine, Promise<Browser>>();
function browser(engine: Engine): Promise<Browser> {
  const started = starting.get(engine) ?? startEngine(engine);
  starting.set(engine, started);
  return started;
}
let server: ReferenceServer;

/** Start of the titles of the only rows to run, such as "Bun". Set by CI, which runs one job per runtime. */
const selected = process.env["TRYON_RUNTIME"] ?? "";
const rows = rowsOf(installation, browser, await workerVersions(installation)).filter(
  ({ engine, title }) => title.startsWith(selected) && (!engine || engines.includes(engine)),
);
if (rows.length === 0)
  throw new Error(`TRYON_RUNTIME is "${selected}", and no runtime has that name.`);
const scenariosOf = ({ kind }: Row): readonly Scenario[] =>
  scenarios.filter(({ on }) => on.includes(kind));

const findings = new Map(rows.map((row) => [row, new Map<Scenario, Promise<ScenarioResult>>()]));

/** Runs each scenario once, and returns the same result to every caller. */
function found(row: Row, scenario: Scenario): Promise<ScenarioResult> {
  const ofRow = findings.get(row) ?? new Map<Scenario, Promise<ScenarioResult>>();
  const finding = ofRow.get(scenario) ?? find(installation, server, row, scenario);
  ofRow.set(scenario, finding);
  return finding;
}

beforeAll(async () => {
  server = await startReferenceServer(installation);
}, timeout);

afterAll(async () => {
  await server.stop();
  for (const started of starting.values()) await (await started).close();
}, timeout);

describe.concurrent.each(rows)("$title", (row) => {
  it.each(scenariosOf(row))(
    "$does",
    async (scenario) => {
      const finding = await found(row, scenario);
      const outcome = finding.works ? "It works." : finding.why;
      expect(outcome).toMatch(knownFailureOf(row, scenario)?.reason ?? /^It works\.$/);
    },
    timeout,
  );
});

const whenAll = { timeout, skip: selected !== "" };
it(`docs/runtimes.md says what was found; \`${command}\` writes it`, whenAll, async () => {
  const rowsFound = [];
  for (const row of rows) {
    const ofRow = new Map<Scenario, ScenarioResult>();
    for (const scenario of scenariosOf(row)) ofRow.set(scenario, await found(row, scenario));
    rowsFound.push({ row, findings: ofRow });
  }
  const path = join(root, "docs/runtimes.md");
  if (process.env["TRYON_RUNTIMES"] === "write") {
    const versions = new Map<Engine, string>();
    for (const engine of engines) versions.set(engine, (await browser(engine)).version());
    await writeFile(path, runtimesPage(rowsFound, versions));
  }
  const page = await readFile(path, "utf8");
  // The versions of engines differ between machines, and some have none.
  const written = new Map<Engine, string>();
  let comparable = page;
  for (const engine of ["chromium", "firefox", "webkit"] as const) {
    const title = engineTitles[engine];
    written.set(engine, new RegExp(`\\| ${title} ([\\d.]+),`).exec(page)?.[1] ?? "");
    if (!engines.includes(engine))
      comparable = comparable.replaceAll(new RegExp(`^\\| ${title} .*\n`, "gm"), "");
  }
  expect(runtimesPage(rowsFound, written)).toBe(comparable);
});
