import { isDeepStrictEqual } from "node:util";

import { columns, expected, type Scenario } from "./scenarios.ts";
import { manifestOf, type Installation } from "./installation.ts";
import { startReferenceServer, type ReferenceServer } from "./reference-server.ts";
import type { Row } from "./rows.ts";

export type ScenarioResult =
  | { readonly works: true }
  | { readonly works: false; readonly why: string };

let files = 0;

/** Lets a runtime run a program, and holds what came of it against what has to. */
export async function find(
  installation: Installation,
  server: ReferenceServer,
  row: Row,
  scenario: Scenario,
): Promise<ScenarioResult> {
  try {
    await refuseForeign(installation, row, scenario);
    const value = await performed(installation, server, row, scenario);
    const wanted = expected(scenario, row.kind);
    if (matches(value, wanted)) return { works: true };
    return {
      works: false,
      why: `It gave ${JSON.stringify(value)}, not ${JSON.stringify(wanted)}.`,
    };
  } catch (error) {
    return { works: false, why: error instanceof Error ? error.message : String(error) };
  }
}

async function performed(
  installation: Installation,
  shared: ReferenceServer,
  row: Row,
  scenario: Scenario,
): Promise<unknown> {
  const server = scenario.movesTime ? await startReferenceServer(installation) : shared;
  try {
    const tenant = await server.tenant(row.kind === "page" ? "test" : "live");
    const { apiKey: proxyKey } = await server.tenant("live");
    files += 1;
    const file = `${installation.app}/journal-${files}.ndjson`;
    return await row.perform(scenario, { ...tenant, baseUrl: server.url, file }, proxyKey);
  } finally {
    if (server !== shared) await server.stop();
  }
}

/** A package declares which versions of Node it supports. */
async function refuseForeign({ app }: Installation, row: Row, scenario: Scenario): Promise<void> {
  const name = columns[scenario.column].manifest;
  const { engines } = await manifestOf(app, `@tryon/${name}`);
  const [, least = "0"] = /^>=([\d.]+)$/.exec(engines?.node ?? "") ?? [];
  const tooOld = row.node?.localeCompare(least, "en", { numeric: true }) === -1;
  if (tooOld) throw new Error(`@tryon/${name} asks for Node ${engines?.node}.`);
}

/** The values are equal, or those fields are that are wanted of an object. */
function matches(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) return isDeepStrictEqual(value, wanted);
  return Object.entries(Object(wanted)).every(([name, part]) =>
    isDeepStrictEqual(Object(value)[name], part),
  );
}
