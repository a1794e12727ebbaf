import { createMock, type Mock, type MockOptions } from "@tryon/mock";

import { runAgainst, smallEngine } from "./run-checks.ts";
import { recorded } from "./recorded.ts";
import { observe, sessionOf } from "./traffic.ts";

type Fetch = typeof globalThis.fetch;

export function mockOf(options: MockOptions): Mock {
  return createMock({ clock: "manual", seed: 1, concurrency: 2, engine: smallEngine, ...options });
}

function isControl(resource: string | URL | Request): boolean {
  return (resource instanceof Request ? resource.url : String(resource)).includes("/__mock");
}

export async function judgeTwice(mock: Mock, fetch: Fetch, only: readonly string[]) {
  const { exchanges, fetch: recording } = recorded({ ...mock, fetch });
  const split: Fetch = (resource, init) =>
    (isControl(resource) ? mock.fetch : recording)(resource, init);
  const { profile } = await runAgainst(mock, only, split);
  const session = sessionOf(exchanges.filter(({ path }) => path.startsWith("/api")));
  const { shown, contradicting } = observe(session);
  return { run: profile.options, seen: shown, session, contradicting };
}
