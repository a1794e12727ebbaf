// Keeps one open issue while a replay of recorded traffic shows drift, and closes it afterwards.
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";

interface Replay {
  against: string;
  recorded: number;
  compared: number;
  notCompared: { reason: string; count: number }[];
  drift: { rule: string; what: string; count: number; places: string[] }[];
}

const label = "api-drift";

function gh(...args: string[]): string {
  return execFileSync("gh", args, { encoding: "utf8" });
}

function summarize(text: string): void {
  const { GITHUB_STEP_SUMMARY: summary } = process.env;
  if (summary) appendFileSync(summary, `${text}\n`);
}

/** Makes a code span, in which GitHub ignores mentions, HTML and Markdown. */
function code(text: string): string {
  return `\`${text.replaceAll("`", "'").replaceAll(/[\p{C}\p{Z}]+/gu, " ")}\``;
}

const [, , file = "drift.json"] = process.argv;
const textFile = file.replace(/json$/, "txt");
const { RUN_URL: run = "" } = process.env;
if (!existsSync(file)) {
  const message = "The replay did not start and wrote no report. The issue stays.";
  process.stderr.write(`${message}\n`);
  summarize(message);
  process.exit(0);
}
const replay = JSON.parse(readFileSync(file, "utf8")) as Replay;
const { against, recorded, compared, notCompared, drift } = replay;
const body = [
  compared === 0 ? "Nothing was compared, so this run cannot show drift.\n" : "",
  `${compared} of ${recorded} recorded exchanges were compared with ${code(against)}. [Reports](${run})`,
  "",
  ...drift.map(
    ({ rule, what, count, places }) =>
      `- ${code(rule)}: ${code(what)} (${count} ×, ${code(places.join(" "))})`,
  ),
  ...notCompared.map(({ reason, count }) => `- Not compared: ${count} × ${code(reason)}`),
]
  .join("\n")
  .trimStart();
const report = existsSync(textFile) ? readFileSync(textFile, "utf8") : "";
// The comment ends the list, so that indented lines are code.
summarize(`${body}\n\n<!-- Text report -->\n\n${report.replaceAll(/^/gm, "    ")}`);

const list = gh("issue", "list", "--label", label, "--state", "open", "--json", "number");
const [issue] = (JSON.parse(list) as { number: number }[]).map(({ number }) => String(number));
if (drift.length > 0) {
  const { size } = new Set(drift.flatMap(({ rule }) => rule.split(", ")));
  const rules = size === 1 ? "1 rule" : `${size} rules`;
  const title = `The try-on service does otherwise than recorded: ${rules}`;
  if (issue) gh("issue", "edit", issue, "--title", title, "--body", body);
  else {
    gh("label", "create", label, "--force");
    gh("issue", "create", "--label", label, "--title", title, "--body", body);
  }
} else if (issue && compared > 0) {
  gh("issue", "close", issue, "--comment", `No drift any more. ${run}`);
}
