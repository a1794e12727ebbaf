import type { Scenario } from "./scenarios.ts";
import type { Row } from "./rows.ts";

/** Known failure on a runtime. A test checks that it still fails in this way. */
export interface KnownFailure {
  readonly concerns: (row: Row, scenario: Scenario) => boolean;
  readonly reason: RegExp;
  readonly note: string;
}

const gaps: readonly KnownFailure[] = [
  {
    concerns: ({ node }, { column }) => node?.startsWith("20.") === true && column === "mock",
    reason: /asks for Node >=22\.12/,
    note: "`@tryon/mock` needs Node ≥ 22.12. With Node 20, test against `npx tryon-mock` on a newer Node, or on another machine.",
  },
  {
    concerns: ({ kind }, { program }) =>
      (kind === "bun" || kind === "deno") && program === "mock-behind-msw",
    reason: /may have been made|connection_failed/,
    note: "`createMock` and `serve` work. msw 3.0.5 does not intercept the `fetch` of Bun and Deno. Set `fetch: mock.fetch` of the client, or use the URL of a server.",
  },
  {
    concerns: ({ kind }, { program }) =>
      (kind === "worker" || kind === "page") && program === "journal",
    reason: /Could not resolve "node:|is not a function/,
    note: "`batch` works. `openJournal` needs a file system. Use another journal, or your own with `get` and `put`.",
  },
  {
    concerns: ({ kind }, { program }) =>
      (kind === "worker" || kind === "page") && program === "contract",
    reason: /Could not resolve "|is not a (function|constructor)/,
    note: "`@tryon/contract` needs Node, Bun or Deno, because it listens for webhooks and reads files.",
  },
  {
    concerns: ({ engine }, { program }) => engine === "firefox" && program === "vectors",
    reason: /with a Request in (?:pieces|one piece): .*signature_mismatch/,
    note: "Firefox 153 sends no stream as the body of a `Request`, so that a delivery of a stream has another body. Pass bytes or text.",
  },
];

export function knownFailureOf(row: Row, scenario: Scenario): KnownFailure | undefined {
  return gaps.find(({ concerns }) => concerns(row, scenario));
}
