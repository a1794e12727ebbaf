import { createHash } from "node:crypto";

import type { CheckResult, Report } from "../report.ts";
import { version } from "../version.ts";
import { htmlScript } from "./html-script.ts";
import { htmlStyle } from "./html-style.ts";
import { reportModel, type Group, type ReportModel } from "./model.ts";
import { escaped } from "./printable.ts";

const hash = (content: string): string =>
  `'sha256-${createHash("sha256").update(content).digest("base64")}'`;

/** Content security policy: the page loads nothing, and allows its own style and script alone. */
const policy = [
  "default-src 'none'",
  `style-src ${hash(htmlStyle)}`,
  `script-src ${hash(htmlScript)}`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

export function htmlReport(report: Report): string {
  const model = reportModel(report);
  const others = model.areas.map(areaList).filter((area) => area !== "");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${escaped(`${model.verdict} ${model.baseUrl}`)}</title>
<style>${htmlStyle}</style>
</head>
<body>
<main>
${header(model)}
${filters(model)}
<p class="nothing" id="nothing" hidden>No result matches the filter.</p>
${section("Failed", "The deployment violates the contract.", model.failed.map(checkRow))}
${section("Observed", "The contract leaves these points open, so none is a fault.", model.observations.map(observationRow))}
${section("Differs", "The contract leaves this open, and the reference server does otherwise.", model.differing.map(checkRow))}
${section(
  "Not observable",
  "This run could not check this.",
  model.notObservable.map((group) => groupRow(group)),
)}
${section(
  "Not run",
  "The run ended before these checks.",
  model.notRun.map((group) => groupRow(group, true)),
)}
${others.length === 0 ? "" : `<section data-section>\n<h2>All other checks</h2>\n${others.join("\n")}\n</section>`}
<footer>Written by tryon-contract ${escaped(version)}. Keys are redacted: insert your own before you run a command.</footer>
</main>
<script>${htmlScript}</script>
</body>
</html>
`;
}

function header({ tone, verdict, baseUrl, level, startedAt, facts }: ReportModel): string {
  const began = startedAt.replace("T", " ").replace(/\.\d+Z$/, " UTC");
  const terms = { level, began, ...facts };
  return `<header class="${tone}">
<h1>${escaped(verdict)}</h1>
<p class="url"><code>${escaped(baseUrl)}</code></p>
<dl class="meta">${Object.entries(terms)
    .map(([name, value]) => `<div><dt>${name}</dt><dd>${escaped(value)}</dd></div>`)
    .join("")}</dl>
</header>`;
}

function filters({ counts, observations }: ReportModel): string {
  const totals = [
    ["failed", counts.failed],
    ["passed", counts.passed],
    ["not-observable", counts.notObservable],
    ["observed", observations.length + counts.open],
  ] as const;
  const buttons = totals.map(
    ([status, count]) =>
      `<button type="button" class="${status}" value="${status}" aria-pressed="false"><b>${count}</b> ${words(status)}</button>`,
  );
  return `<nav aria-label="Filter" hidden>
${buttons.join("")}
<input type="search" placeholder="Search ids, titles and rules" aria-label="Search ids, titles and rules">
</nav>`;
}

function section(title: string, lead: string, rows: readonly string[]): string {
  if (rows.length === 0) return "";
  return `<section data-section>
<h2>${escaped(title)}</h2>
<p class="soft">${escaped(lead)}</p>
${list(rows)}
</section>`;
}

function list(rows: readonly string[]): string {
  return `<div class="list">\n${rows.join("\n")}\n</div>`;
}

/** If true, a result is neither a failure nor a difference. Those have separate sections. */
function isOther({ status, message }: CheckResult): boolean {
  return status !== "failed" && (status !== "observed" || message === undefined);
}

function areaList({ name, checks }: Group): string {
  const rows = checks.filter(isOther).map(checkRow);
  if (rows.length === 0) return "";
  return `<div data-section>\n<h3>${escaped(name)}</h3>\n${list(rows)}\n</div>`;
}

function checkRow(check: CheckResult): string {
  const { id, title, status, message, curl, rules, level, credits, milliseconds } = check;
  const covered = rules.length === 0 ? "" : `Rules: ${rules.join(", ")}. `;
  return `<details class="${status}" data-status="${status}" id="${escaped(id)}"${status === "failed" ? " open" : ""}>
<summary><span class="badge">${words(status)}</span><span>${escaped(title)}<code>${escaped(id)}</code></span></summary>
<div class="inside">
${message === undefined ? "" : `<p class="message">${escaped(message)}</p>`}
${curl === undefined ? "" : `<div class="call"><pre>${escaped(curl)}</pre></div>`}
<p class="facts">${escaped(covered)}Level ${level}, ${milliseconds} ms, ${credits} credits.</p>
</div>
</details>`;
}

function observationRow(one: ReportModel["observations"][number]): string {
  return `<div class="point observed${one.known ? "" : " unknown"}" data-status="observed">
<code>${escaped(one.option)}</code><span class="value">${escaped(String(one.value))}</span><span class="means">${escaped(one.text)}</span>
${one.deviations.map((what) => `<span class="deviation">Explains a deviation from spec/openapi.json: ${escaped(what)}.</span>`).join("")}
</div>`;
}

function groupRow({ name, checks }: Group<{ readonly id: string }>, hasIds = false): string {
  const ids = hasIds ? `: ${checks.map(({ id }) => `<code>${escaped(id)}</code>`).join(", ")}` : "";
  return `<div class="reason not-observable" data-status="not-observable"><b>${checks.length}</b><span>${escaped(name)}${ids}</span></div>`;
}

function words(status: string): string {
  return status.replace("-", " ");
}
