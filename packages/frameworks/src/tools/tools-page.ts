import { lineOf } from "../page.ts";
import { notApplicable, works, type Result } from "../result.ts";
import results from "./results.json" with { type: "json" };
import { tools, type Tool } from "./tools.ts";

export const command = "npm run tools";

const columns = ["accepts", "compiles", "tryOn"] as const;

/** Page for users, from the results of the last run of all tools. */
export function toolsPage(): string {
  const notes: string[] = [];
  const cellOf = (tool: Tool, column: (typeof columns)[number]): string => {
    const outcome = resultOf(tool)?.outcomes[column] ?? notApplicable;
    if (outcome === works) return "✓";
    if (outcome === notApplicable) return "";
    notes.push(tool.notes?.[column] ?? outcome);
    return `– ${notes.length}`;
  };
  const lines = tools.map((tool) => {
    const version = Object.values(resultOf(tool)?.versions ?? {})[0] ?? "";
    return [tool.title, version, ...columns.map((column) => cellOf(tool, column)), tool.use];
  });
  return [
    `<!-- Made by \`${command}\` and \`npm run generate\`. Changes made here are lost. -->`,
    "# Other languages and tools",
    "<!-- keywords: OpenAPI, Swagger, code generator, SDK generator, Postman, Insomnia, zod, ajv, linter, Prism, MCP -->",
    "[`spec/openapi.json`](../spec/openapi.json) is the contract of the service, in OpenAPI 3.1. A deployment serves its own at `/api/v1/openapi.json`. [HTTP API](guides/http-api.md) shows the calls with curl and Python.",
    "> [!WARNING]\n> A generated client does not retry, wait for a job, or stay below a rate limit. Send an `Idempotency-Key` with each submission, and repeat it on each retry. Otherwise a retry is charged again.",
    `A test installs the newest version of each tool from npm and gives it the contract. The last run of all tools was on ${results.date}.`,
    [
      lineOf(["tool", "version", "reads it", "compiles", "try-on", "use"]),
      lineOf(["---", "---", ":-:", ":-:", ":-:", "---"]),
      ...lines.map(lineOf),
    ].join("\n"),
    [
      "- **reads it**: the tool reports no error. A page shows the operations in Chromium.",
      "- **compiles**: a program with the generated code compiles under `strict`.",
      "- **try-on**: the program submits `size: 4K` and `mode: async` twice, under one idempotency key, to the reference server. Parsers come before. There is one job, one charge of 20 credits, and the response comes at once. Clients also poll, list jobs, read the account and buy credits.",
    ].join("\n"),
    ...(notes.length === 0 ? [] : [notes.map((note, index) => `${index + 1}. ${note}`).join("\n")]),
    "[The OpenAPI contract](decisions/openapi.md) has the decisions behind its form.",
  ]
    .join("\n\n")
    .concat("\n");
}

export function resultOf({ id }: Tool): Result | undefined {
  return (results.rows as Readonly<Record<string, Result | undefined>>)[id];
}
