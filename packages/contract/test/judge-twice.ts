import { createMock, type Mock, type MockOptions } from "@tryon/mock";

import { runContract } from "../src/contract.ts";
import { png } from "../src/images.ts";
import { Observer } from "../src/observe/observer.ts";
import type { Exchange } from "../src/record/exchange.ts";
import { recorded } from "./recorded.ts";

type Fetch = typeof globalThis.fetch;

export function mockOf(options: MockOptions): Mock {
  const engine = { name: "small", render: async () => new Uint8Array(png(3, 4, [1, 2, 3])) };
  return createMock({ clock: "manual", seed: 1, concurrency: 2, engine, ...options });
}

function linesOf(exchanges: readonly Exchange[]) {
  return exchanges.map((exchange, index) => ({
    exchange: JSON.parse(JSON.stringify(exchange)) as Exchange,
    place: `s:${index + 1}`,
  }));
}

function isControl(resource: string | URL | Request): boolean {
  return (resource instanceof Request ? resource.url : String(resource)).includes("/__mock");
}

export async function judgeTwice(mock: Mock, fetch: Fetch, only: readonly string[]) {
  const { exchanges, fetch: recording } = recorded({ ...mock, fetch });
  const split: Fetch = (resource, init) =>
    (isControl(resource) ? mock.fetch : recording)(resource, init);
  const { profile, observations } = await runContract({
    baseUrl: mock.baseUrl,
    fetch: split,
    level: "full",
    only,
  });
  const observer = new Observer();
  const session = linesOf(exchanges.filter(({ path }) => path.startsWith("/api")));
  for (const { exchange, place } of session) observer.add(exchange, place);
  const { options } = observer.end();
  const seen = options.flatMap(({ option, value }) =>
    value === undefined ? [] : [[option, value] as const],
  );
  return { run: profile.options, observations, seen: Object.fromEntries(seen), session, options };
}
