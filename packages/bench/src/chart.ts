import type { Group } from "./benchmark.ts";
import { formatNumber } from "./statistics.ts";

const width = 720;
const valueWidth = 120;
const letterWidth = 7.2;
const rowHeight = 26;
const top = 44;

/** The chart has its own background, so that it is readable where page and system differ in theme. */
const style = `
  svg { color-scheme: light dark }
  text { font: 13px system-ui, sans-serif; fill: light-dark(#1f2328, #f0f6fc) }
  .title { font-weight: 600; font-size: 14px }
  .card { fill: light-dark(#fff, #0d1117); stroke: light-dark(#d1d9e0, #3d444d) }
  .bar { fill: light-dark(#8c959f, #656c76) }
  .ours { fill: light-dark(#0969da, #4493f8) }
`;

/** Describes a chart in words, for readers without the image. */
export function describeChart({ title, unit, rows }: Group): string {
  const values = rows.map(({ name, median }) => `${name} ${formatNumber(median)} ${unit}`);
  return `${title}, medians: ${values.join("; ")}.`;
}

/** Renders medians as horizontal bars. */
export function renderChart(group: Group): string {
  const { title, unit, rows } = group;
  const labelWidth = Math.ceil(26 + letterWidth * Math.max(...rows.map(({ name }) => name.length)));
  const scale = (width - labelWidth - valueWidth) / Math.max(...rows.map(({ median }) => median));
  const bars = rows.map(({ name, median }, index) => {
    const y = top + index * rowHeight;
    const length = (median * scale).toFixed(1);
    const kind = name.includes("tryon") ? "bar ours" : "bar";
    return `<text x="${labelWidth - 10}" y="${y + 14}" text-anchor="end">${escape(name)}</text>
<rect class="${kind}" x="${labelWidth}" y="${y}" width="${length}" height="18" rx="2"/>
<text x="${labelWidth + Number(length) + 8}" y="${y + 14}">${formatNumber(median)} ${unit}</text>`;
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
