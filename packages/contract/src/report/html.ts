import { createHash } from "node:crypto";

import type { CheckResult, Observation, Report } from "../report.ts";
import { version } from "../version.ts";
import { htmlScript } from "./html-script.ts";
import { htmlStyle } from "./html-style.ts";
import { meaningOf } from "./meanings.ts";
import { printable } from "./printable.ts";
import {
  areaOf,
  countsOf,
  creditsOf,
  grouped,
  seconds,
  skippedGroups,
  verdictOf,
} from "./summary.ts";

/** Text for a page. */
const text = (value: string): string =>
  printable(value)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

const hash = (content: string): string =>
  `'sha256-${createHash("sha256").update(content).digest("base64")}'`;

/** Nothing is loaded from anywhere, and only this style and this script count. */
const policy = [
  "default-src 'none'",
  `style-src ${hash(htmlStyle)}`,
  `script-src ${hash(htmlScript)}`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** The report as one page that needs nothing else: for people, offline, and for paper. */
export function htmlReport(report: Report): string {
  const { checks } = report;
  const broken = checks.filter(({ status }) => status === "broken");
  const others = checks.filter(({ status }) => status !== "broken");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${text(`${verdictOf(report)} ${report.baseUrl}`)}</title>
<style>${htmlStyle}</style>
</head>
<body>
<main>
${headOf(report)}
${filtersOf(report)}
<p class="nothing" id="nothing" hidden>Nothing fits this filter.</p>
${section("Broken", "The deployment does not do what the contract says.", broken.map(checkRow))}
${section("Observed", "The contract is silent here, so none of this is a fault: it is how this deployment does it.", report.observations.map(pointRow))}
${reasonsOf(report)}
${othersOf(others)}
<footer>Written by tryon-contract ${text(version)}. Keys are masked; put your own in before you run a line.</footer>
</main>
<script>${htmlScript}</script>
</body>
</html>
`;
}

function headOf(report: Report): string {
  const { broken, kept } = countsOf(report);
  const tone = broken > 0 ? "bad" : report.complete && kept > 0 ? "good" : "open";
  const facts = {
    level: report.level,
    began: report.startedAt.replace("T", " ").replace(/\.\d+Z$/, " UTC"),
    took: `${seconds(report.milliseconds)}${report.virtualTime ? ", over virtual time" : ""}`,
    credits: creditsOf(report),
  };
  return `<header class="${tone}">
<h1>${text(verdictOf(report))}</h1>
<p class="address"><code>${text(report.baseUrl)}</code></p>
<dl class="meta">${Object.entries(facts)
    .map(([name, value]) => `<div><dt>${name}</dt><dd>${text(value)}</dd></div>`)
    .join("")}</dl>
</header>`;
}

const button = (status: string, count: number): string =>
  `<button type="button" class="${status}" value="${status}" aria-pressed="false"><b>${count}</b> ${status}</button>`;

function filtersOf(report: Report): string {
  const { kept, broken, skipped, points } = countsOf(report);
  return `<nav aria-label="Filter" hidden>
${button("broken", broken)}${button("kept", kept)}${button("skipped", skipped)}${button("observed", points)}
<input type="search" placeholder="Search ids, titles and rules" aria-label="Search ids, titles and rules">
</nav>`;
}

function section(title: string, lead: string, rows: readonly string[]): string {
  if (rows.length === 0) return "";
  return `<section data-section>
<h2>${text(title)}</h2>
<p class="soft">${text(lead)}</p>
${list(rows)}
</section>`;
}

function list(rows: readonly string[]): string {
  return `<div class="list">\n${rows.join("\n")}\n</div>`;
}

/** Everything that is not broken, area by area. */
function othersOf(checks: readonly CheckResult[]): string {
  if (checks.length === 0) return "";
  const areas = [...grouped(checks, areaOf)].map(
    ([area, rows]) =>
      `<div data-section>\n<h3>${text(area)}</h3>\n${list(rows.map(checkRow))}\n</div>`,
  );
  return `<section data-section>\n<h2>All other checks</h2>\n${areas.join("\n")}\n</section>`;
}

function checkRow(check: CheckResult): string {
  const { id, title, status, message, curl, rules, level, credits, milliseconds } = check;
  const facts = [
    rules.length === 0 ? "" : `Rules: ${rules.join(", ")}.`,
    `Level ${level}, ${milliseconds} ms, ${credits} credits.`,
  ];
  return `<details class="${status}" data-status="${status}" id="${text(id)}"${status === "broken" ? " open" : ""}>
<summary><span class="badge">${status}</span><span>${text(title)}<code>${text(id)}</code></span></summary>
<div class="inside">
${message === undefined ? "" : `<p class="message">${text(message)}</p>`}
${curl === undefined ? "" : `<div class="call"><pre>${text(curl)}</pre></div>`}
<p class="facts">${text(facts.join(" ").trim())}</p>
</div>
</details>`;
}

function pointRow({ option, title, value, message, deviations }: Observation): string {
  const unknown = value === "unknown";
  const means = unknown
    ? (message ?? "This run could not tell.")
    : (meaningOf(option, value) ?? title);
  return `<div class="point observed${unknown ? " unknown" : ""}" data-status="observed">
<code>${text(option)}</code><span class="value">${unknown ? "unknown" : text(String(value))}</span><span class="means">${text(means)}</span>
${deviations.map((what) => `<span class="deviation">Explains what spec/openapi.json does not have: ${text(what)}.</span>`).join("")}
</div>`;
}

/** Why things were left out, which says at once what would make more visible. */
function reasonsOf(report: Report): string {
  const rows = skippedGroups(report).map(
    ({ reason, checks }) =>
      `<div class="reason skipped" data-status="skipped"><b>${checks.length}</b><span>${text(reason)}</span></div>`,
  );
  return section("Skipped, and why", "What this run could not see.", rows);
}
