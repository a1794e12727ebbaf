import { createHash } from "node:crypto";

import type { CheckResult } from "../report.ts";
import { version } from "../version.ts";
import { htmlScript } from "./html-script.ts";
import { htmlStyle } from "./html-style.ts";
import { printable } from "./printable.ts";
import type { Group, ReportedObservation, ReportModel } from "./model.ts";

/** Escapes text for HTML. */
const text = (value: string): string =>
  printable(value)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

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

/** Writes the report as one HTML page that loads nothing: for screens, offline, and for paper. */
export function htmlReport(model: ReportModel): string {
  const others = model.areas
    .map(({ name, checks }) => ({ name, checks: checks.filter((one) => one.status !== "failed") }))
    .filter(({ checks }) => checks.length > 0);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${text(`${model.verdict} ${model.baseUrl}`)}</title>
<style>${htmlStyle}</style>
</head>
<body>
<main>
${header(model)}
${filters(model)}
<p class="nothing" id="nothing" hidden>No result matches the filter.</p>
${section("Failed", "The deployment violates the contract.", model.failed.map(checkRow))}
${section("Observed", "The contract leaves these points open, so none is a fault.", model.observations.map(observationRow))}
${section("Not observable", "This run could not check this.", model.notObservable.map(reasonRow))}
${others.length === 0 ? "" : `<section data-section>\n<h2>All other checks</h2>\n${others.map(areaList).join("\n")}\n</section>`}
<footer>Written by tryon-contract ${text(version)}. Keys are redacted: insert your own before you run a command.</footer>
</main>
<script>${htmlScript}</script>
</body>
</html>
`;
}

function header({ tone, verdict, baseUrl, startedAt, facts }: ReportModel): string {
  const began = startedAt.replace("T", " ").replace(/\.\d+Z$/, " UTC");
  const terms = { level: facts.level, began, duration: facts.duration, credits: facts.credits };
  return `<header class="${tone}">
<h1>${text(verdict)}</h1>
<p class="url"><code>${text(baseUrl)}</code></p>
<dl class="meta">${Object.entries(terms)
    .map(([name, value]) => `<div><dt>${name}</dt><dd>${text(value)}</dd></div>`)
    .join("")}</dl>
</header>`;
}

function filters({ counts, observations }: ReportModel): string {
  const totals: Readonly<Record<string, number>> = {
    failed: counts.failed,
    passed: counts.passed,
    "not-observable": counts.notObservable,
    observed: observations.length,
  };
  const buttons = Object.entries(totals).map(
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
<h2>${text(title)}</h2>
<p class="soft">${text(lead)}</p>
${list(rows)}
</section>`;
}

function list(rows: readonly string[]): string {
  return `<div class="list">\n${rows.join("\n")}\n</div>`;
}

function areaList({ name, checks }: Group): string {
  return `<div data-section>\n<h3>${text(name)}</h3>\n${list(checks.map(checkRow))}\n</div>`;
}

function checkRow(check: CheckResult): string {
  const { id, title, status, message, curl, rules, level, credits, milliseconds } = check;
  const facts = [
    rules.length === 0 ? "" : `Rules: ${rules.join(", ")}.`,
    `Level ${level}, ${milliseconds} ms, ${credits} credits.`,
  ];
  return `<details class="${status}" data-status="${status}" id="${text(id)}"${status === "failed" ? " open" : ""}>
<summary><span class="badge">${words(status)}</span><span>${text(title)}<code>${text(id)}</code></span></summary>
<div class="inside">
${message === undefined ? "" : `<p class="message">${text(message)}</p>`}
${curl === undefined ? "" : `<div class="call"><pre>${text(curl)}</pre></div>`}
<p class="facts">${text(facts.join(" ").trim())}</p>
</div>
</details>`;
}

function observationRow({ option, value, known, deviations, ...one }: ReportedObservation): string {
  return `<div class="point observed${known ? "" : " unknown"}" data-status="observed">
<code>${text(option)}</code><span class="value">${text(String(value))}</span><span class="means">${text(one.text)}</span>
${deviations.map((what) => `<span class="deviation">Explains a deviation from spec/openapi.json: ${text(what)}.</span>`).join("")}
</div>`;
}

function reasonRow({ name: reason, checks }: Group): string {
  return `<div class="reason not-observable" data-status="not-observable"><b>${checks.length}</b><span>${text(reason)}</span></div>`;
}

function words(status: string): string {
  return status.replace("-", " ");
}
