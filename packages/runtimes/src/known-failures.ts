import type { Scenario } from "./scenarios.ts";
import type { Row } from "./rows.ts";

/** What is known not to work somewhere. A test sees that it fails so; when it works one day, the test fails. */
export interface KnownFailure {
  readonly concerns: (row: Row, deed: Scenario) => boolean;
  /** What the failure says, whoever says it. */
  readonly reason: RegExp;
  /** What people are told of it. */
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
    note: "`createMock` and `serve` work. msw 3.0.5 does not catch the `fetch` of Bun and of Deno, with any handler: give the client `fetch: mock.fetch`, or a server's address.",
  },
  {
    concerns: ({ kind }, { program }) =>
      (kind === "worker" || kind === "page") && program === "journal",
    reason: /Could not resolve "node:|is not a function/,
    note: "`batch` works. `openJournal` keeps a file, which is not there: give a journal of your own, `get` and `put` over any store.",
  },
  {
    concerns: ({ kind }, { program }) =>
      (kind === "worker" || kind === "page") && program === "contract",
    reason: /Could not resolve "|is not a function/,
    note: "`@tryon/contract` is for Node, Bun and Deno: it listens for webhooks and reads files.",
  },
];

export function knownFailureOf(row: Row, deed: Scenario): KnownFailure | undefined {
  return gaps.find(({ concerns }) => concerns(row, deed));
}
