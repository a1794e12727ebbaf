// Keeps one open issue while a replay of recorded traffic shows drift, and closes it afterwards.
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";

interface Replay {
  against: string;
  compared: number;
  drift: { rule: string; what: string; count: number; places: string[] }[];
}

const label = "api-drift";

function gh(...args: string[]): string {
  return execFileSync("gh", args, { encoding: "utf8" });
}

const [, , file = "drift.json"] = process.argv;
const { GITHUB_STEP_SUMMARY: summary, RUN_URL: run = "" } = process.env;
if (!existsSync(file)) {
  process.stderr.write(`${file} is missing: the replay did not start. The issue stays.\n`);
  process.exit(0);
}
const { against, compared, drift } = JSON.parse(readFileSync(file, "utf8")) as Replay;
const body = [
  `${compared} recorded exchanges were compared with ${against}. [Reports](${run})`,
  "",
  ...drift.map(
    ({ rule, what, count, places }) => `- **${rule}**: ${what} (${count} ×, ${places.join(", ")})`,
  ),
].join("\n");
if (summary) appendFileSync(summary, `${body}\n`);

const list = gh("issue", "list", "--label", label, "--state", "open", "--json", "number");
const [issue] = (JSON.parse(list) as { number: number }[]).map(({ number }) => String(number));
if (drift.length > 0) {
  const title = `The try-on service does otherwise than recorded: ${drift.length} rules`;
  if (issue) gh("issue", "edit", issue, "--title", title, "--body", body);
  else {
    gh("label", "create", label, "--force");
    gh("issue", "create", "--label", label, "--title", title, "--body", body);
  }
} else if (issue && compared > 0) {
  gh("issue", "close", issue, "--comment", `No drift any more. ${run}`);
}
