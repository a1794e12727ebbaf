import { Notes, pageOf, tableOf } from "@tryon/test-kit/markdown";

import { notApplicable, resultIn, works } from "../row.ts";
import results from "./results.json" with { type: "json" };
import { tools } from "./tools.ts";

/** Page for users, from the results of the last run of all tools. */
export function toolsPage(): string {
  const notes = new Notes();
  const rows = tools.map((tool) => {
    const { versions = {}, outcomes } = resultIn(results, tool);
    const cells = (["accepts", "compiles", "tryOn"] as const).map((column) => {
      const outcome = outcomes?.[column] ?? notApplicable;
      if (outcome === notApplicable) return "";
      return outcome === works ? "✓" : `– ${notes.numberOf(tool.notes?.[column] ?? outcome)}`;
    });
    return [tool.title, Object.values(versions)[0] ?? "", ...cells, tool.use];
  });
  const headings = {
    tool: "---",
    version: "---",
    "reads it": ":-:",
    compiles: ":-:",
    "try-on": ":-:",
    use: "---",
  };
  return pageOf(
    ["npm run tools", "npm run generate"],
    "# Other languages and tools",
    "<!-- keywords: OpenAPI, Swagger, code generator, SDK generator, Postman, Insomnia, zod, ajv, linter, Prism, MCP -->",
    "[`spec/openapi.json`](../spec/openapi.json) is the contract of the service, in OpenAPI 3.1. A deployment serves its own at `/api/v1/openapi.json`. [HTTP API](guides/http-api.md) shows the calls with curl and Python.",
    "> [!WARNING]\n> A generated client does not retry, wait for a job, or stay below a rate limit. Send an `Idempotency-Key` with each submission, and repeat it on each retry. Otherwise a retry is charged again.",
    `A test installs the newest version of each tool from npm and gives it the contract. The last run of all tools was on ${results.date}.`,
    tableOf(headings, rows),
    [
      "- **reads it**: the tool reports no error. A page shows the operations in Chromium.",
      "- **compiles**: a program with the generated code compiles under `strict`.",
      "- **try-on**: the program submits `size: 4K` and `mode: async` twice, under one idempotency key, to the reference server. Parsers come before. There is one job, one charge of 20 credits, and the response comes at once. Clients also poll, list jobs, read the account and buy credits.",
    ].join("\n"),
    notes.list(),
    "[The OpenAPI contract](decisions/openapi.md) has the decisions behind its form.",
  );
}
