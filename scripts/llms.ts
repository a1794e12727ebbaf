import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const introduction = `# TryOn SDK

> The TypeScript SDK of the virtual try-on service. \`@tryon/client\` submits try-ons and never pays twice, \`@tryon/webhooks\` verifies webhooks, \`@tryon/mock\` is a reference server to test against, and \`@tryon/contract\` tests a deployment.

A try-on takes a photo of a person and one to three garment images, costs credits, runs for 10 to 90 seconds and returns one PNG. There is no default base URL and no default API key: set \`TRYON_BASE_URL\` and \`TRYON_API_KEY\`. To write and test code without them, use \`@tryon/mock\`.
`;

/** Lists the pages of docs/README.md for programs, in the format of llmstxt.org, and checks their titles. */
export function llmsTxt(root: string, problems: string[]): string {
  const readme = readFileSync(join(root, "docs/README.md"), "utf8");
  for (const [, title, file = ""] of readme.matchAll(/^- \[(.+?)\]\((.+?)\)/gm)) {
    const page = join(root, "docs", file);
    const text = existsSync(page) ? readFileSync(page, "utf8").replaceAll("`", "") : "";
    const actual = /^# (.+)$/m.exec(text)?.[1] ?? "missing";
    if (actual !== title)
      problems.push(`docs/README.md lists ${file} as "${title}". Its title is ${actual}.`);
  }
  return introduction + readme.slice(readme.indexOf("\n## "));
}
