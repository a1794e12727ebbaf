import { columns, scenarios, type Column, type Scenario } from "./scenarios.ts";
import { knownFailureOf } from "./known-failures.ts";
import type { ScenarioResult } from "./run-scenarios.ts";
import type { Row } from "./rows.ts";

/** One row of the table, as it was found. */
export interface FoundRow {
  readonly row: Row;
  readonly findings: ReadonlyMap<Scenario, ScenarioResult>;
}

export const command = "npm run runtimes";

/** Page for users, written by a run with the option to write it. */
export function runtimesPage(found: readonly FoundRow[], chromium: string): string {
  const names = Object.values(columns).map(({ title }) => title);
  const notes: string[] = [];
  const lines = found.map(({ row, findings }) => {
    const title = row.title.replace("Chromium", `Chromium ${chromium}`);
    // The keys are the columns.
    const cells = (Object.keys(columns) as Column[]).map((column) =>
      cell(row, column, findings, notes),
    );
    return lineOf([title, ...cells]);
  });
  return [
    `<!-- Made by \`${command}\`. Changes made here are lost. -->`,
    "# Where the packages run",
    "The packages are built, packed and installed into an app as from the registry, and then every runtime does real work with them against the command `tryon-mock`, a separate process. A cell is what came of it: this page is written by the test, and the test fails when it finds something else.",
    [lineOf(["", ...names]), lineOf(["---", ...names.map(() => ":-:")]), ...lines].join("\n"),
    "✓ means that all of it works, ✓ with a number that it works but for what the note says, – that it does not.",
    notes.map((note, index) => `${index + 1}. ${note}`).join("\n"),
    "## What was done for a cell",
    ...(Object.keys(columns) as Column[]).map(section),
    "## How it was done",
    surroundings,
  ]
    .filter((part) => part !== "")
    .join("\n\n")
    .concat("\n");
}

const surroundings = `- **Node**: each program as an ES module and as CommonJS, and it has to end by itself. \`@tryon/contract\` has ES modules alone; Node ≥ 20.19 loads them by \`require\` too.
- **TypeScript**: compiled under \`strict\`, \`exactOptionalPropertyTypes\` and \`noUncheckedIndexedAccess\` with the declarations checked (\`skipLibCheck: false\`), as ES module and, but for \`bundler\`, as CommonJS; what the newest made of it is run on Node. The programs with msw and \`@tryon/contract\` are ES modules alone, and the declarations of msw itself are left unchecked.
- **Deno**: nothing is allowed but what stands behind a program above.
- **workerd**: bundled by esbuild with the conditions \`workerd\`, \`worker\` and \`browser\`, without \`nodejs_compat\`.
- **Chromium**: built for production, served from another origin than the service's, with a test key, and through the proxy without a key. The version of Chromium is that of the machine on which the page was written.
- **Safari, Firefox, React Native and edge runtimes other than workerd** are not tried here.`;

function section(column: Column): string {
  const items = scenarios
    .filter((scenario) => scenario.column === column)
    .map(({ does, on, allow }) => {
      const allowed = allow.length === 0 ? "nothing" : allow.map((flag) => `\`${flag}\``).join(" ");
      const places = on.map((kind) =>
        kind === "deno" ? `Deno with ${allowed} allowed` : kinds[kind],
      );
      return `- ${does}: ${places.join(", ")}`;
    });
  return [`**${columns[column].title}**`, items.join("\n")].join("\n\n");
}

const kinds = {
  node: "Node",
  bun: "Bun",
  typescript: "TypeScript",
  worker: "workerd",
  page: "Chromium",
} as const;

function cell(
  row: Row,
  column: Column,
  findings: ReadonlyMap<Scenario, ScenarioResult>,
  notes: string[],
): string {
  const tried = [...findings].filter(([scenario]) => scenario.column === column);
  const failed = tried.filter(([, { works }]) => !works);
  const numbers = failed.map(([scenario]) => {
    const note = knownFailureOf(row, scenario)?.note ?? "**Broken.**";
    if (!notes.includes(note)) notes.push(note);
    return notes.indexOf(note) + 1;
  });
  const mark = failed.length < tried.length ? "✓" : "–";
  return [mark, ...new Set(numbers)].join(" ");
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
