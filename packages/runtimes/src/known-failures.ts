import type { Scenario } from "./scenarios.ts";
import type { Row } from "./rows.ts";

/** Known failure on a runtime. A test checks that it still fails in this way. */
export interface KnownFailure {
  readonly concerns: (row: Row, scenario: Scenario) => boolean;
  /** Pattern of the error message. */
  readonly reason: RegExp;
  /** Note for users. */
  readonly note: string;
}

const gaps: readonly KnownFailure[] = [
  {
    concerns: ({ node }, { column }) => node?.startsWith("20.") === true && column === "mock",
    reason: /asks for Node >=22\.12/,
    note: "`@tryon/mock` asks for Node ≥ 22.12. On Node 20 test against a server beside it: `npx tryon-mock` on a newer Node, or another machine's.",
  },
  {
    concerns: ({ kind }, { program }) =>
      (kind === "bun" || kind === "deno") && program === "mock-behind-msw",
    reason: /may have been made|connection_failed/,
    note: "`createMock` and `serve` work. msw 3.0.5 does not catch the `fetch` of Bun and of Deno, with any handler: give the client `fetch: mock.fetch`, or the URL of a server.",
  },
  {
    concerns: ({ kind }, { program }) =>
      (kind === "worker" || kind === "page") && program === "journal",
    reason: /Could not resolve "node:|is not a function/,
    note: "`batch` works. `openJournal` keeps a file, which is not there: pass your own journal, `get` and `put` over any store.",
  },
  {
    concerns: ({ kind }, { program }) =>
      (kind === "worker" || kind === "page") && program === "contract",
    reason: /Could not resolve "|is not a function/,
    note: "`@tryon/contract` is for Node, Bun and Deno: it listens for webhooks and reads files.",
  },
];

export function knownFailureOf(row: Row, scenario: Scenario): KnownFailure | undefined {
  return gaps.find(({ concerns }) => concerns(row, scenario));
}
