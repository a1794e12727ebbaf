import type { Engine } from "@tryon/test-kit/browsers";
import { Notes, pageOf, tableOf } from "@tryon/test-kit/markdown";

import { columns, scenarios, type Column, type Scenario } from "./scenarios.ts";
import { knownFailureOf } from "./known-failures.ts";
import type { ScenarioResult } from "./run-scenarios.ts";
import { engineTitles, type Row } from "./rows.ts";

export interface FoundRow {
  readonly row: Row;
  readonly findings: ReadonlyMap<Scenario, ScenarioResult>;
}

export const command = "npm run runtimes";

/** Page for users, written by a run with the option to write it. */
export function runtimesPage(
  found: readonly FoundRow[],
  versions: ReadonlyMap<Engine, string>,
): string {
  const names = Object.values(columns).map(({ title }) => title);
  const notes = new Notes();
  const lines = found.map(({ row, findings }) => {
    const { engine } = row;
    const name = engine && engineTitles[engine];
    const title = name ? row.title.replace(name, `${name} ${versions.get(engine)}`) : row.title;
    // The keys are the columns.
    const cells = (Object.keys(columns) as Column[]).map((column) =>
      cell(row, column, findings, notes),
    );
    return [title, ...cells];
  });
  const headings = Object.fromEntries(names.map((name) => [name, ":-:"]));
  return pageOf(
    [command],
    "# Where the packages run",
    "A test builds the packages, installs them into an app, and runs the same programs on every runtime. The programs call `tryon-mock`, which runs in another process. The test writes this page, and fails if a result changes.",
    tableOf({ runtime: "---", ...headings }, lines),
    "✓: all of it works. ✓ with a number: it works, except for what the note says. –: it does not work.",
    notes.list(),
    "## Programs",
    ...(Object.keys(columns) as Column[]).map(section),
    "## Conditions",
    surroundings,
  );
}

const surroundings = `- **Node**: each program runs as an ES module and as CommonJS, and must end by itself. \`@tryon/contract\` has only ES modules, which Node ≥ 20.19 also loads by \`require\`.
- **TypeScript**: the programs are compiled with \`strict\`, \`exactOptionalPropertyTypes\`, \`noUncheckedIndexedAccess\` and \`skipLibCheck: false\`. They are ES modules and, except with \`bundler\`, also CommonJS. Node runs the output of the newest version. The programs with msw and \`@tryon/contract\` are only ES modules, and the declarations of msw are not checked.
- **Deno**: a program has only the permissions that are listed above.
- **workerd**: esbuild bundles the programs with the conditions \`workerd\`, \`worker\` and \`browser\`, without \`nodejs_compat\`.
- **Pages**: they are built for production and have another origin than the service. They use a test key, and the pages with a proxy use none. WebKitGTK is the engine of Safari on Linux; its windows are private.
- **Not tested:** Safari, React Native, and edge runtimes other than workerd.`;

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
  page: "pages",
} as const;

function cell(
  row: Row,
  column: Column,
  findings: ReadonlyMap<Scenario, ScenarioResult>,
  notes: Notes,
): string {
  const tried = [...findings].filter(([scenario]) => scenario.column === column);
  const failed = tried.filter(([, { works }]) => !works);
  const numbers = failed.map(([scenario]) =>
    notes.numberOf(knownFailureOf(row, scenario)?.note ?? "**Broken.**"),
  );
  const mark = failed.length < tried.length ? "✓" : "–";
  return [mark, ...new Set(numbers)].join(" ");
}
