import type { Group } from "./benchmark.ts";
import { formatNumber, summarize } from "./statistics.ts";

const width = 720;
/** Widths of a letter of a label and of the value beside a bar. */
const letterWidth = 7.2;
const valueWidth = 120;
const rowHeight = 26;
const top = 44;

/** The chart has its own background, so that it is readable where page and system differ in theme. */
const style = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 14px }
  .card { fill: #fff; stroke: #d1d9e0 }
  .bar { fill: #8c959f }
  .ours { fill: #0969da }
  .range { stroke: #1f2328; stroke-width: 1.5 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .card { fill: #0d1117; stroke: #3d444d }
    .bar { fill: #656c76 }
    .ours { fill: #4493f8 }
    .range { stroke: #f0f6fc }
  }
`;

/** Describes a chart in words, for readers without the image. */
export function describeChart({ title, unit, rows }: Group): string {
  const values = rows.map(({ name, samples }) => {
    return `${name} ${formatNumber(summarize(samples).median)} ${unit}`;
  });
  return `${title}, medians: ${values.join("; ")}.`;
}

/** Renders medians as horizontal bars, with a line between the quartiles. */
export function renderChart(group: Group): string {
  const { title, unit, rows } = group;
  const summaries = rows.map((row) => ({ ...row, ...summarize(row.samples) }));
  const labelWidth = Math.ceil(26 + letterWidth * Math.max(...rows.map(({ name }) => name.length)));
  const barWidth = width - labelWidth - valueWidth;
  const max = Math.max(...summaries.map(({ median, q3 }) => Math.max(median, q3)));
  const scale = (value: number): string => ((value / max) * barWidth).toFixed(1);
  const bars = summaries.map(({ name, median, q1, q3 }, index) => {
    const y = top + index * rowHeight;
    const kind = name.includes("tryon") ? "bar ours" : "bar";
    const [from, to] = [labelWidth + Number(scale(q1)), labelWidth + Number(scale(q3))];
    return `<text x="${labelWidth - 10}" y="${y + 14}" text-anchor="end">${escape(name)}</text>
<rect class="${kind}" x="${labelWidth}" y="${y}" width="${scale(median)}" height="18" rx="2"/>
<path class="range" d="M${from.toFixed(1)} ${y + 9}H${to.toFixed(1)}"/>
<text x="${Math.max(to, labelWidth) + 8}" y="${y + 14}">${formatNumber(median)} ${unit}</text>`;
  });
  const height = top + rows.length * rowHeight + 8;
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title>${escape(title)}</title>
<desc>${escape(describeChart(group))}</desc>
<style>${style}</style>
<rect class="card" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="6"/>
<text class="title" x="16" y="26">${escape(title)}, ${unit}</text>
${bars.join("\n")}
</svg>
`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
