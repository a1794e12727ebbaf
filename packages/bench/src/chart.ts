import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Group } from "./benchmark.ts";

/** Narrow, so that its text is readable where a phone shrinks it. Has its own background, in case page and system differ in theme. */
const template = readFileSync(join(import.meta.dirname, "../pages/chart.svg"), "utf8");

/** Formats a figure with three digits, or all of an integral part that is longer. */
export function formatNumber(value: number): string {
  return value.toLocaleString("en-US", {
    maximumFractionDigits: 0,
    maximumSignificantDigits: 3,
    roundingPriority: "morePrecision",
  });
}

/** Describes a chart in words, for readers without the image. */
export function describeChart({ title, unit, rows }: Group): string {
  const values = rows.map(({ name, median }) => `${name} ${formatNumber(median)} ${unit}`.trim());
  return `${title}, medians: ${values.join("; ")}.`;
}

export const isOwnPackage = (name: string): boolean => name.includes("tryon");

/** Renders bars in the order of their values, the best first. */
export function renderChart(group: Group): string {
  const { title, heading, unit } = group;
  const isRate = unit.endsWith("/s");
  const rows = group.rows.toSorted((a, b) => (a.median - b.median) * (isRate ? -1 : 1));
  const scale = 448 / Math.max(...rows.map(({ median }) => median));
  const bars = rows.map(({ name, median }, index) => {
    const y = 84 + index * 36;
    const [bar, text] = isOwnPackage(name) ? ["bar ours", ' class="strong"'] : ["bar", ""];
    return `<text x="16" y="${y}"${text}>${escape(name)}</text>
<text x="464" y="${y}" class="end">${formatNumber(median)}</text>
<rect class="${bar}" x="16" y="${y + 5}" width="${Math.max(1, Math.round(median * scale))}" height="9"/>`;
  });
  const height = 80 + rows.length * 36;
  const [benchmark, description] = [title.replace(/: .*/, ""), describeChart(group)];
  const texts = { title, description, benchmark, heading, best: isRate ? "more" : "less" };
  const values: Record<string, unknown> = { ...texts, height, cardHeight: height - 1 };
  return template.replaceAll(/\[\[(\w+)\]\]/g, (_, name: string) =>
    name === "bars" ? bars.join("\n") : escape(String(values[name])),
  );
}

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
